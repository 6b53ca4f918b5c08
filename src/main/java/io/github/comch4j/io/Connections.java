package io.github.comch4j.io;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.link.Loops;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.BooleanSupplier;

/** How channels on a connection wait and fail. */
final class Connections {
    private Connections() {}

    /**
     * Progresses the engine of a channel, and that of its connection, until {@code done} or the time is up. Returns
     * whether it is done.
     */
    static boolean await(ComchConnection connection, Engine engine, BooleanSupplier done)
            throws InterruptedIOException {
        return await(connection, engine, done, engine.deadline());
    }

    /** As above, until a moment by {@link System#nanoTime()}. */
    static boolean await(ComchConnection connection, Engine engine, BooleanSupplier done, long deadline)
            throws InterruptedIOException {
        try {
            return engine.awaitInterruptibly(
                    done, deadline, Loops.insideOf(connection).engine());
        } catch (InterruptedException e) {
            throw new InterruptedIOException(e.getMessage());
        }
    }

    /** A refusal as the exception that methods of channels declare. */
    static IOException failed(DocaException refusal) {
        return new IOException(refusal.getMessage(), refusal);
    }

    /** As {@link #failed}, for a connection that has ended. */
    static IOException ended(ComchConnection connection, String function, String action) {
        RuntimeException end = Loops.insideOf(connection).ended(function, action);
        return new IOException(end.getMessage(), end);
    }
}
