package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Messages on the control path: their handler counts them. */
final class MessageEnds {
    private MessageEnds() {}

    static Inlet inlet(PerfConnection link) {
        return new Inlet() {
            @Override
            public int poll() {
                return link.engine().progress(256);
            }

            @Override
            public void turn() {
                link.engine().progress();
            }

            @Override
            public void close() {
                // it is the connection's
            }
        };
    }

    static Outlet outlet(PerfConnection link, Plan plan) {
        int most = link.endpoint().maxMessageSize();
        if (plan.size() > most) {
            throw new ProgramException("the control path has messages of at most " + most + " bytes here");
        }
        return new MessageOutlet(link, plan.size());
    }

    private static final class MessageOutlet implements Outlet {
        private static final int MANY = 256;

        private final PerfConnection link;
        private final int size;
        private final MemorySegment message;
        private long refused;

        MessageOutlet(PerfConnection link, int size) {
            this.link = link;
            this.size = size;
            message = Arena.ofAuto().allocate(Math.max(size, Long.BYTES), 64).asSlice(0, size);
        }

        @Override
        public boolean trySend(long number) {
            ArrivalCheck.number(message, 0, size, number);
            if (!link.connection().trySend(message).accepted()) {
                refused++;
                return false;
            }
            return true;
        }

        @Override
        public int offer(long number, int most) {
            int offered = 0;
            while (offered < most && trySend(number + offered)) {
                offered++;
            }
            return offered;
        }

        @Override
        public void progress() {
            while (link.engine().progress(MANY) == MANY) {
                // until there is nothing more
            }
        }

        @Override
        public boolean isIdle() {
            return link.endpoint().inFlight() == 0;
        }

        @Override
        public long refused() {
            return refused;
        }

        @Override
        public void close() {
            // it is the connection's
        }
    }
}
