package io.github.comch4j.streams;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * Waits as the JDK's sockets of TCP do: an interrupt of a platform thread changes nothing, and remains to be seen; that
 * of a virtual thread ends the wait.
 */
public final class SocketWaits {
    /** No limit. */
    public static final long FOR_EVER = Long.MAX_VALUE / 2;

    private SocketWaits() {}

    /**
     * Waits until something holds. The lock of the condition is held.
     *
     * @param nanos how long at most
     * @return whether it holds
     */
    public static boolean await(Condition changed, long nanos, BooleanSupplier holds) throws InterruptedIOException {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (!holds.getAsBoolean()) {
                long left = nanos == FOR_EVER ? FOR_EVER : deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    if (left == FOR_EVER) {
                        changed.await(); // no timer
                    } else {
                        var _ = changed.awaitNanos(left);
                    }
                } catch (InterruptedException e) {
                    interrupted = true; // what it waits for may have come before the lock was had again
                    checkPlatformThread();
                }
            }
            return true;
        } finally {
            restore(interrupted);
        }
    }

    /**
     * Waits for a result.
     *
     * @param nanos how long at most
     */
    public static <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedIOException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                    checkPlatformThread();
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    private static void checkPlatformThread() throws InterruptedIOException {
        if (Thread.currentThread().isVirtual()) {
            throw new InterruptedIOException("interrupted");
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
