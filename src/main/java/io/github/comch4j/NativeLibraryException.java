package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.util.Objects;
import java.util.function.Function;

/**
 * DOCA's libraries, real or emulated, cannot be used in this process. The message says what was looked for, where, and
 * what to do about it. Only this library makes such exceptions.
 */
public sealed class NativeLibraryException extends RuntimeException permits MissingFunctionException {
    static {
        Internals.openMaker(
                NativeLibraryException.class,
                (Function<LibraryExceptionParts<Reason>, NativeLibraryException>) NativeLibraryException::new);
    }

    private static final long serialVersionUID = 1L;

    /** Why not. */
    public enum Reason {
        /** There is no native library for this operating system, processor or C library. */
        UNSUPPORTED_PLATFORM,
        /** A setting of this library has a value that means nothing. */
        INVALID_SETTING,
        /** The DOCA SDK, or the folder that was named, does not hold the libraries. */
        NOT_FOUND,
        /** The emulated libraries could not be written to a folder that allows executing them. */
        NOT_UNPACKED,
        /** The libraries were found, but the system's loader refused them. */
        NOT_LOADED,
        /** The libraries were loaded, but have Comch's functions as no release of DOCA has them. */
        UNKNOWN_RELEASE,
        /** The libraries lack a function that was called: see {@link MissingFunctionException}. */
        MISSING_FUNCTION
    }

    /** Why not. */
    private final Reason reason;

    NativeLibraryException(LibraryExceptionParts<Reason> unusable) {
        super(unusable.message(), unusable.cause());
        this.reason = Objects.requireNonNull(unusable.reason());
    }

    /**
     * Why the libraries cannot be used.
     *
     * @return the reason
     */
    public final Reason reason() {
        return reason;
    }
}
