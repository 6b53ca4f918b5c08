package io.github.comch4j.link;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.transfer.CoreObjects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** The internal objects of loops, engines and connections. */
public final class Loops {
    private static final Function<ComchConnection, ConnectionInside> INSIDE = Internals.of(ComchConnection.class);

    private Loops() {}

    public static Engine engineOf(ProgressEngine engine) {
        return CoreObjects.of(engine);
    }

    public static Engine engineOf(EventLoop loop) {
        return engineOf(loop.engine());
    }

    /**
     * The thread of a loop, as others see it.
     *
     * @throws RejectedExecutionException if the loop is closed
     */
    public static LoopThread threadOf(EventLoop loop) {
        return LoopThread.of(engineOf(loop), loop);
    }

    public static ConnectionInside insideOf(ComchConnection connection) {
        return INSIDE.apply(connection);
    }

    /**
     * Has a loop do something, not here: this may be a handler. Returns false if the loop is closed, and with it all
     * that is on its engine. Any thread.
     */
    public static boolean execute(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Fails in the loop itself: the call waits for it. */
    public static void checkNotIn(EventLoop loop) {
        if (loop.isInLoop()) {
            throw new IllegalStateException("a method that waits cannot be called in the loop that it waits for");
        }
    }
}
