package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Messages on the control path, by the connection's own engine. */
final class MessageOutlet extends Outlet {
    private final PerfConnection link;
    private final int size;
    private final MemorySegment message;
    private long refused;

    MessageOutlet(PerfConnection link, int size) {
        super(link.engine());
        this.link = link;
        this.size = size;
        int most = link.endpoint().maxMessageSize();
        if (size > most) {
            throw new ProgramException("the control path has messages of at most " + most + " bytes here");
        }
        message = Arena.ofAuto().allocate(Math.max(size, Long.BYTES), 64).asSlice(0, size);
    }

    @Override
    boolean trySend(long number) {
        ArrivalCheck.number(message, 0, size, number);
        if (!link.connection().trySend(message).accepted()) {
            refused++;
            return false;
        }
        return true;
    }

    @Override
    boolean isIdle() {
        return link.endpoint().inFlight() == 0;
    }

    @Override
    long refused() {
        return refused;
    }
}
