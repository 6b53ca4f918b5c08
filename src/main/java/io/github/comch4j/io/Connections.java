package io.github.comch4j.io;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The internal object of a connection, and how channels on the connection wait and fail. */
final class Connections {
    private static final Function<ComchConnection, ConnectionInside> INSIDE = Internals.of(ComchConnection.class);

    private static final Function<ProgressEngine, Engine> ENGINE = Internals.of(ProgressEngine.class);

    private Connections() {}

    static ConnectionInside of(ComchConnection connection) {
        return INSIDE.apply(connection);
    }

    /**
     * The thread of a loop, as others see it.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is closed
     */
    static LoopThread threadOf(EventLoop loop) {
        return LoopThread.of(engineOf(loop), loop);
    }

    static Engine engineOf(EventLoop loop) {
        return ENGINE.apply(loop.engine());
    }

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
            return engine.awaitInterruptibly(done, deadline, of(connection).engine());
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
        RuntimeException end = of(connection).ended(function, action);
        return new IOException(end.getMessage(), end);
    }
}
