package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;

/** The fast path: a producer at the client, a consumer at the server; for ping-pong both at both, on one engine. */
class FastCarrier implements Carrier {
    private static final int SIGNALS = 8;

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages());
        return inlet(options, server, loop.newEngine(), arrivals, null);
    }

    @Override
    public Outlet outlet(Options options) {
        Loop loop = new Loop();
        Endpoint client = Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages());
        ProgressEngine engine = loop.newEngine();
        return options.producers() == 1
                ? outlet(options, client, engine)
                : new SeveralOutlets(options.producers(), () -> outlet(options, client, engine));
    }

    @Override
    public Table answering(Options options) {
        Loop loop = new Loop();
        return new FastTable(options, Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages()), true);
    }

    @Override
    public Table asking(Options options) {
        Loop loop = new Loop();
        return new FastTable(options, Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages()), false);
    }

    /** {@code then} runs after each arrival; may be null. */
    FastPathInlet inlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals, Runnable then) {
        return new FastInlet(options, endpoint, engine, arrivals, then);
    }

    FastPathOutlet outlet(Options options, Endpoint endpoint, ProgressEngine engine) {
        return new FastOutlet(options, endpoint, engine);
    }

    private final class FastTable implements Table {
        private final Endpoint endpoint;
        private final Arrivals arrivals;
        private final FastPathInlet inlet;
        private final FastPathOutlet outlet;
        private final boolean answers;
        private long owed; // answers to give
        private long given;

        FastTable(Options options, Endpoint endpoint, boolean answers) {
            this.endpoint = endpoint;
            this.answers = answers;
            ProgressEngine engine = endpoint.loop.newEngine();
            arrivals = new Arrivals(options);
            inlet = FastCarrier.this.inlet(options, endpoint, engine, arrivals, answers ? this::answer : null);
            outlet = FastCarrier.this.outlet(options, endpoint, engine);
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
                inlet.turn();
            }
        }

        @Override
        public long turn() {
            inlet.turn();
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
