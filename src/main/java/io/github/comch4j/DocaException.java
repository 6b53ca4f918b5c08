package io.github.comch4j;

import io.github.comch4j.internal.access.DocaExceptionParts;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.observe.Diagnosis;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * DOCA refused a call, or something that DOCA was doing failed. Only this library makes such exceptions.
 *
 * <p>The emulated BlueField adds to the message what it knows about the cause, for example that its folder belongs to
 * another user; on an SDK it is what DOCA's log says.
 *
 * <p>Wrong use that this library notices by itself is reported by {@link IllegalStateException},
 * {@link IllegalArgumentException} or {@link WrongThreadException} instead.
 */
public class DocaException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** What has causes outside the program. */
    private static final Set<DocaError> FROM_OUTSIDE = EnumSet.of(
            DocaError.OPERATING_SYSTEM,
            DocaError.INITIALIZATION,
            DocaError.NO_MEMORY,
            DocaError.NOT_FOUND,
            DocaError.NOT_PERMITTED,
            DocaError.CONNECTION_ABORTED);

    /** The number as DOCA returned it. */
    private final int code;
    /** The DOCA function. */
    private final String function;
    /** What was being attempted. */
    private final String action;
    /** What is known of the cause, or empty. */
    private final String reason;

    static {
        Internals.openMaker(DocaException.class, (Function<DocaExceptionParts, DocaException>) DocaException::new);
    }

    /** Where an exception comes from. Only this library has one, and makes exceptions with it. */
    public static final class Origin {
        static {
            Internals.openMaker(Origin.class, (Function<DocaExceptionParts, Origin>) Origin::new);
        }

        private final DocaExceptionParts refusal;

        private Origin(DocaExceptionParts refusal) {
            this.refusal = refusal;
        }
    }

    /**
     * For this library's subclasses.
     *
     * @param origin where it comes from
     */
    protected DocaException(Origin origin) {
        this(origin.refusal);
    }

    private DocaException(DocaExceptionParts refusal) {
        this(refusal, reason(refusal));
    }

    private DocaException(DocaExceptionParts refusal, String reason) {
        super(refusal.message() != null ? refusal.message() : message(refusal, reason));
        this.reason = reason;
        this.code = refusal.code();
        this.function = Objects.requireNonNull(refusal.function());
        this.action = Objects.requireNonNull(refusal.action());
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

    /**
     * What is known of the cause, as a sentence: the emulated BlueField tells why it refused, for example that a server
     * is full or that its folder belongs to another user. On an SDK it cites the last error in DOCA's log, if that was
     * written within the last second; with several threads it may be about another one's call. It ends the
     * {@linkplain #getMessage() message}, too.
     *
     * @return the sentence; empty if nothing is known
     */
    public final String reason() {
        return reason;
    }

    private static String reason(DocaExceptionParts refusal) {
        if (refusal.reason() != null) {
            return refusal.reason();
        }
        DocaError error = DocaError.of(refusal.code());
        if (refusal.message() != null || error == DocaError.AGAIN) {
            return "";
        }
        String told = FROM_OUTSIDE.contains(error) ? Diagnosis.lastError() : "";
        return told.isEmpty() ? Diagnosis.lastLogged() : told;
    }

    private static String message(DocaExceptionParts refusal, String reason) {
        DocaError error = DocaError.of(refusal.code());
        String name = error == DocaError.UNRECOGNIZED ? "error " + refusal.code() : error.name();
        return refusal.function() + ": " + name + " (" + error.description() + ") while " + refusal.action()
                + (reason.isEmpty() ? "" : ": " + reason);
    }
}
