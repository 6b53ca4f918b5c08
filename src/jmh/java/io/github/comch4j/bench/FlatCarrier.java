package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;

/** The fast path: a producer at the client, a consumer at the server; for ping-pong both at both, on one engine. */
final class FlatCarrier implements Carrier {
    private static final int SIGNALS = 8;

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages());
        return new FlatInlet(options, server, loop.newEngine(), arrivals);
    }

    @Override
    public Outlet outlet(Options options) {
        Loop loop = new Loop();
        Endpoint client = Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages());
        return new FlatOutlet(options, client, loop.newEngine());
    }

    @Override
    public Table answering(Options options) {
        Loop loop = new Loop();
        return new FlatTable(options, Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages()), true);
    }

    @Override
    public Table asking(Options options) {
        Loop loop = new Loop();
        return new FlatTable(options, Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages()), false);
    }

    private static final class FlatTable implements Table {
        private final Endpoint endpoint;
        private final ProgressEngine engine;
        private final Arrivals arrivals;
        private final FlatInlet inlet;
        private final FlatOutlet outlet;
        private final boolean answers;
        private long owed; // answers to give
        private long given;

        FlatTable(Options options, Endpoint endpoint, boolean answers) {
            this.endpoint = endpoint;
            this.answers = answers;
            engine = endpoint.loop.newEngine();
            arrivals = new Arrivals(options);
            inlet = new FlatInlet(options, endpoint, engine, arrivals, answers ? this::answer : null);
            outlet = new FlatOutlet(options, endpoint, engine);
        }

        private void answer() {
            if (outlet.trySend(given)) {
                given++;
            } else {
                owed++;
            }
        }

        @Override
        public void serve(long number) {
            while (!outlet.trySend(number)) {
                inlet.poll();
            }
        }

        @Override
        public long turn() {
            inlet.poll();
            while (owed > 0 && outlet.trySend(given)) {
                owed--;
                given++;
            }
            return arrivals.received();
        }

        @Override
        public boolean isOver() {
            endpoint.engine.progress();
            return endpoint.signal == Endpoint.DONE;
        }

        @Override
        public void close() {
            if (!answers) {
                endpoint.signal(Endpoint.DONE);
            }
            outlet.closeProducer();
            inlet.closeConsumer();
            endpoint.close();
        }
    }
}
