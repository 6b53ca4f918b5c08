package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;

/** Both sides of both paths in one thread, for benchmarks that JMH runs. */
final class OneThread implements AutoCloseable {
    final Loop loop = new Loop();
    final Arrivals arrivals;
    final Arrivals flatArrivals;
    final Arrivals messages;
    final Endpoint server;
    final Endpoint client;
    final ProgressEngine receiving;
    final ProgressEngine sending;
    final FastInlet inlet;
    final FastOutlet outlet;
    final ProgressEngine flatSending;
    final FlatInlet flatInlet;
    final FlatOutlet flatOutlet;
    final ControlOutlet control;

    OneThread(int size, int depth) {
        Options options = Options.of("jmh")
                .with("--form", "one")
                .with("--size", Integer.toString(size))
                .with("--depth", Integer.toString(depth))
                .with("--name", "jmh-" + ProcessHandle.current().pid());
        arrivals = new Arrivals(options);
        flatArrivals = new Arrivals(options);
        messages = new Arrivals(options);
        server = Endpoint.server(options, loop, depth, ControlInlet.into(messages));
        client = Endpoint.client(options, loop, depth, Endpoint.noMessages());
        receiving = loop.newEngine();
        sending = loop.newEngine();
        inlet = new FastInlet(options, server, receiving, arrivals);
        outlet = new FastOutlet(options, client, sending);
        int ofBuffers = client.remoteConsumer;
        flatInlet = new FlatInlet(options, server, loop.newEngine(), flatArrivals);
        loop.waitFor("the slot consumer", () -> client.remoteConsumer != ofBuffers);
        flatSending = loop.newEngine();
        flatOutlet = new FlatOutlet(options, client, flatSending);
        control = new ControlOutlet(options, client);
    }

    /** A message on the fast path, from the submit to the re-posted buffer. */
    long fast() {
        long number = arrivals.received();
        if (!outlet.trySend(number)
                || !sending.progress()
                || !receiving.progress()
                || arrivals.received() != number + 1) {
            throw new IllegalStateException("message " + number + " did not arrive");
        }
        return number;
    }

    /** A message in a slot, from the claim to the re-posted slot. */
    long flat() {
        long number = flatArrivals.received();
        if (!flatOutlet.trySend(number)
                || !flatSending.progress()
                || flatInlet.poll() != 1
                || flatArrivals.received() != number + 1) {
            throw new IllegalStateException("message " + number + " did not arrive");
        }
        return number;
    }

    /** A message on the control path. */
    long message() {
        long number = messages.received();
        if (!control.trySend(number)
                || !client.engine.progress()
                || !server.engine.progress()
                || messages.received() != number + 1) {
            throw new IllegalStateException("message " + number + " did not arrive");
        }
        return number;
    }

    @Override
    public void close() {
        flatOutlet.closeProducer();
        flatInlet.closeConsumer();
        outlet.closeProducer();
        inlet.closeConsumer();
        loop.close();
    }
}
