package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.util.Objects;
import java.util.function.Function;

/**
 * Thrown when this process cannot use DOCA's libraries, real or emulated. The message says which libraries this library
 * looked for, where, and how to fix the problem. Only this library creates such exceptions.
 */
public sealed class NativeLibraryException extends RuntimeException permits MissingFunctionException {
    static {
        Internals.openMaker(
                NativeLibraryException.class,
                (Function<LibraryExceptionParts<Reason>, NativeLibraryException>) NativeLibraryException::new);
    }

    private static final long serialVersionUID = 1L;

    /** The reason why the libraries cannot be used. */
    public enum Reason {
        /** There is no native library for this operating system, processor or C library. */
        UNSUPPORTED_PLATFORM,
        /** A setting of this library has a meaningless value. */
        INVALID_SETTING,
        /** The DOCA SDK, or the folder that the setting names, does not contain the libraries. */
        NOT_FOUND,
        /** The emulated libraries could not be written to a folder from which they can be executed. */
        NOT_UNPACKED,
        /** The libraries exist, but the system's loader refused them. */
        NOT_LOADED,
        /** The libraries were loaded, but their set of Comch functions matches no DOCA release. */
        UNKNOWN_RELEASE,
        /** The libraries lack a function that the program called: see {@link MissingFunctionException}. */
        MISSING_FUNCTION
    }

    /** Why not. */
    private final Reason reason;

    NativeLibraryException(LibraryExceptionParts<Reason> unusable) {
        super(unusable.message(), unusable.cause());
        this.reason = Objects.requireNonNull(unusable.reason());
    }

    /**
     * Returns why the libraries cannot be used.
     *
     * @return the reason
     */
    public final Reason reason() {
        return reason;
    }
}
