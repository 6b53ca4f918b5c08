package io.github.comch4j.internal.failure;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.internal.access.DocaExceptionParts;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.time.Duration;
import java.util.function.Function;

/** Makes the exceptions that only the library makes; the caller throws them. */
public final class Failures {
    private static final Function<DocaExceptionParts, DocaException> REFUSED = Internals.maker(DocaException.class);
    private static final Function<LibraryExceptionParts, NativeLibraryException> UNUSABLE =
            Internals.maker(NativeLibraryException.class);
    private static final Function<LibraryExceptionParts, MissingFunctionException> MISSING =
            Internals.maker(MissingFunctionException.class);

    private static final Function<String, WaitInterruptedException> INTERRUPTED =
            Internals.maker(WaitInterruptedException.class);

    private Failures() {}

    /** A time as messages have it: {@code 10 s}, {@code 300 ms}. */
    public static String text(Duration time) {
        long seconds = time.getSeconds();
        boolean whole = time.getNano() == 0 || seconds < 0 || seconds > 1_000_000; // the longest have no milliseconds
        return whole ? seconds + " s" : time.toMillis() > 0 ? time.toMillis() + " ms" : time.toNanos() / 1_000 + " us";
    }

    /**
     * For a number that a DOCA function returned.
     *
     * @param code the number of {@code doca_error_t}
     * @param function the DOCA function that returned it, or whose work failed later
     * @param action what was being done, as the continuation of "while …"
     */
    public static DocaException refused(int code, String function, String action) {
        return REFUSED.apply(new DocaExceptionParts(code, function, action, null, null));
    }

    /**
     * For an error that is known by name.
     *
     * @param error the error
     * @param function the DOCA function concerned
     * @param action what was being done, as the continuation of "while …"
     */
    public static DocaException refused(DocaError error, String function, String action) {
        return refused(error.code(), function, action);
    }

    /**
     * For an error whose cause was told before, perhaps in another thread.
     *
     * @param error the error
     * @param function the DOCA function concerned
     * @param action what was being done, as the continuation of "while …"
     * @param reason what the libraries said about the cause, or empty
     */
    public static DocaException refused(DocaError error, String function, String action, String reason) {
        return REFUSED.apply(new DocaExceptionParts(error.code(), function, action, null, reason));
    }

    /**
     * For an error whose cause the library knows better than DOCA says.
     *
     * @param error the error
     * @param function the DOCA function concerned
     * @param action what was being done
     * @param message the whole message
     */
    public static DocaException explained(DocaError error, String function, String action, String message) {
        return REFUSED.apply(new DocaExceptionParts(error.code(), function, action, message, null));
    }

    /**
     * For libraries that cannot be used.
     *
     * @param message the sentence for the user, with the remedy
     * @param cause what the system said, or null
     */
    public static NativeLibraryException unusable(String message, Throwable cause) {
        return UNUSABLE.apply(new LibraryExceptionParts(null, message, cause));
    }

    /**
     * For a function that the libraries lack.
     *
     * @param function its C name
     * @param message the sentence for the user
     */
    public static MissingFunctionException missing(String function, String message) {
        return MISSING.apply(new LibraryExceptionParts(function, message, null));
    }

    /**
     * For a thread that was interrupted: it is afterwards, too.
     *
     * @param what what it waited for, as the continuation of "while …"
     */
    public static WaitInterruptedException interrupted(String what) {
        Thread.currentThread().interrupt();
        return INTERRUPTED.apply("interrupted while " + what);
    }
}
