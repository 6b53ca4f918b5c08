package io.github.comch4j;

import java.util.Objects;

/**
 * DOCA's libraries, real or emulated, cannot be used in this process. The message says what was looked for, where, and
 * what to do about it.
 */
public class NativeLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why not. */
    public enum Reason {
        /** There is no native library for this operating system, processor or C library. */
        UNSUPPORTED_PLATFORM,
        /** The DOCA SDK, or the folder that was named, does not hold the libraries. */
        NOT_FOUND,
        /** The emulated libraries could not be written to a folder that allows executing them. */
        NOT_UNPACKED,
        /** The libraries were found, but the system's loader refused them. */
        NOT_LOADED,
        /** The libraries lack a function that was called: see {@link MissingFunctionException}. */
        MISSING_FUNCTION
    }

    /** Why not. */
    private final Reason reason;

    /**
     * Made by this library.
     *
     * @param reason why
     * @param message the sentence for the user, with the remedy
     * @param cause what the system said, or null
     */
    public NativeLibraryException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason);
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
