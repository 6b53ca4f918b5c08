package io.github.comch4j;

import io.github.comch4j.internal.observe.Diagnosis;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * DOCA refused a call, or something that DOCA was doing failed.
 *
 * <p>The emulated BlueField adds to the message what it knows about the cause, for example that its folder belongs to another user.
 *
 * <p>Wrong use that this library notices by itself is reported by {@link IllegalStateException},
 * {@link IllegalArgumentException} or {@link WrongThreadException} instead.
 */
public class DocaException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** What has causes outside the program. */
    private static final Set<DocaError> FROM_OUTSIDE = EnumSet.of(DocaError.OPERATING_SYSTEM, DocaError.INITIALIZATION, DocaError.NO_MEMORY,
            DocaError.NOT_FOUND, DocaError.NOT_PERMITTED, DocaError.CONNECTION_ABORTED);

    /** The number as DOCA returned it. */
    private final int code;
    /** The DOCA function. */
    private final String function;
    /** What was being attempted. */
    private final String action;

    /**
     * Made by this library for a number that a DOCA function returned.
     *
     * @param code the number of {@code doca_error_t}
     * @param function the DOCA function that returned it, or whose work failed later
     * @param action what was being done, as the continuation of "while …"
     */
    public DocaException(int code, String function, String action) {
        super(message(code, function, action));
        this.code = code;
        this.function = Objects.requireNonNull(function);
        this.action = Objects.requireNonNull(action);
    }

    /**
     * Made by this library for an error it knows by name.
     *
     * @param error the error
     * @param function the DOCA function concerned
     * @param action what was being done, as the continuation of "while …"
     */
    public DocaException(DocaError error, String function, String action) {
        this(error.code(), function, action);
    }

    /**
     * For exceptions that know more about the cause than DOCA says.
     *
     * @param error the error
     * @param function the DOCA function concerned
     * @param action what was being done, as the continuation of "while …"
     * @param message the whole message
     */
    protected DocaException(DocaError error, String function, String action, String message) {
        super(message);
        this.code = error.code();
        this.function = Objects.requireNonNull(function);
        this.action = Objects.requireNonNull(action);
    }

    /**
     * DOCA's error.
     *
     * @return the error; {@link DocaError#UNRECOGNIZED} when the number has no name, see {@link #code()}
     */
    public final DocaError error() {
        return DocaError.of(code);
    }

    /**
     * The number as DOCA returned it.
     *
     * @return a number of {@code doca_error_t}, also one that this version has no name for
     */
    public final int code() {
        return code;
    }

    /**
     * The DOCA function that returned the error, or whose work failed later.
     *
     * @return its C name
     */
    public final String function() {
        return function;
    }

    /**
     * What was being done.
     *
     * @return a phrase that continues "while …"
     */
    public final String action() {
        return action;
    }

    private static String message(int code, String function, String action) {
        DocaError error = DocaError.of(code);
        String name = error == DocaError.UNRECOGNIZED ? "error " + code : error.name();
        String cause = FROM_OUTSIDE.contains(error) ? Diagnosis.lastError() : "";
        return function + ": " + name + " (" + error.description() + ") while " + action + (cause.isEmpty() ? "" : ": " + cause);
    }
}
