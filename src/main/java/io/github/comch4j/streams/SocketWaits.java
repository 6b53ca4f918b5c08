package io.github.comch4j.streams;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;

/**
 * Waits as the JDK's sockets of TCP do: an interrupt of a platform thread changes nothing, and remains to be seen; that
 * of a virtual thread ends the wait.
 */
public final class SocketWaits {
    /** No limit. */
    public static final long FOR_EVER = Long.MAX_VALUE / 2;

    private SocketWaits() {}

    private interface SocketWait<T> {
        T until(long deadline) throws InterruptedException, ExecutionException, TimeoutException;
    }

    /**
     * Waits for a condition, or for nothing.
     *
     * @param nanos how long at most
     * @return how much of it is left
     */
    @SuppressWarnings("WaitNotInLoop") // its callers have one
    public static long await(Condition condition, long nanos) throws InterruptedIOException {
        try {
            return await(nanos, deadline -> {
                if (nanos == FOR_EVER) {
                    condition.await();
                    return nanos;
                }
                return condition.awaitNanos(deadline - System.nanoTime());
            });
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Waits for a result.
     *
     * @param nanos how long at most
     */
    public static <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedIOException, ExecutionException, TimeoutException {
        return await(nanos, deadline -> future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
    }

    private static <T> T await(long nanos, SocketWait<T> wait)
            throws InterruptedIOException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.until(deadline);
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (Thread.currentThread().isVirtual()) {
                        throw new InterruptedIOException("interrupted");
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
