package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import java.util.function.Function;

/**
 * Thrown when a thread is interrupted while it waits in a call of this library. The thread's interrupt status remains
 * set, so that its program sees the interrupt, too. Methods that declare {@link java.io.IOException} throw
 * {@link java.io.InterruptedIOException} instead, and methods that declare {@link InterruptedException} throw that.
 * Only this library creates such exceptions.
 */
public final class WaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static {
        Internals.openMaker(WaitInterruptedException.class, (Function<String, WaitInterruptedException>)
                WaitInterruptedException::new);
    }

    private WaitInterruptedException(String message) {
        super(message);
    }
}
