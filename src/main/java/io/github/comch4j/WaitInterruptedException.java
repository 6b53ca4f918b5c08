package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import java.util.function.Function;

/**
 * The thread was interrupted before what it waited for was there. The thread is interrupted still, so that its program
 * sees it, too. Calls that declare {@link java.io.IOException} throw {@link java.io.InterruptedIOException} instead,
 * and those that declare it {@link InterruptedException}. Only this library makes such exceptions.
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
