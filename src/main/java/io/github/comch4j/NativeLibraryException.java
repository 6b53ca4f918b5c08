package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.util.function.Function;

/**
 * Thrown when this process cannot use DOCA's libraries, real or emulated. The message says which libraries this library
 * looked for, where, and how to fix the problem. Only this library creates such exceptions.
 */
public sealed class NativeLibraryException extends RuntimeException permits MissingFunctionException {
    static {
        Internals.openMaker(NativeLibraryException.class, (Function<LibraryExceptionParts, NativeLibraryException>)
                NativeLibraryException::new);
    }

    private static final long serialVersionUID = 1L;

    NativeLibraryException(LibraryExceptionParts unusable) {
        super(unusable.message(), unusable.cause());
    }
}
