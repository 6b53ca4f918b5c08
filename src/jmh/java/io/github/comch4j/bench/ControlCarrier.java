package io.github.comch4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The control path: messages of a client to its server, and back. */
final class ControlCarrier implements Carrier {
    private static final int PING_DEPTH = 64;

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        Endpoint server = Endpoint.server(options, new Loop(), options.depth(), ControlInlet.into(arrivals));
        return new ControlInlet(server);
    }

    @Override
    public Outlet outlet(Options options) {
        return new ControlOutlet(options, Endpoint.client(options, new Loop(), options.depth(), Endpoint.noMessages()));
    }

    @Override
    public Table answering(Options options) {
        Endpoint server = Endpoint.server(options, new Loop(), PING_DEPTH, (from, message) -> {
            if (!from.trySend(message).accepted()) {
                throw new IllegalStateException("no room for an answer");
            }
        });
        return new ControlTable(options, server, new Arrivals(options), false);
    }

    @Override
    public Table asking(Options options) {
        Arrivals arrivals = new Arrivals(options);
        Endpoint client = Endpoint.client(options, new Loop(), PING_DEPTH, ControlInlet.into(arrivals));
        return new ControlTable(options, client, arrivals, true);
    }

    private static final class ControlTable implements Table {
        private final Endpoint endpoint;
        private final Arrivals arrivals;
        private final boolean asks;
        private final MemorySegment message;

        ControlTable(Options options, Endpoint endpoint, Arrivals arrivals, boolean asks) {
            this.endpoint = endpoint;
            this.arrivals = arrivals;
            this.asks = asks;
            message = Arena.ofAuto().allocate(options.size(), 64);
            Arrivals.fill(message);
        }

        @Override
        public void serve(long number) {
            message.set(ValueLayout.JAVA_LONG, 0, number);
            while (!endpoint.connection.trySend(message).accepted()) {
                endpoint.engine.progress();
            }
        }

        @Override
        public long turn() {
            endpoint.engine.progress();
            return arrivals.received();
        }

        @Override
        public boolean isOver() {
            return endpoint.signal == Endpoint.DONE;
        }

        @Override
        public void close() {
            if (asks) {
                endpoint.signal(Endpoint.DONE);
            }
            endpoint.close();
        }
    }
}
