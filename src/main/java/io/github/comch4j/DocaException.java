package io.github.comch4j;

import io.github.comch4j.internal.access.DocaExceptionParts;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.observe.Diagnosis;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Thrown when DOCA refuses a call, or when an operation of DOCA fails later. Only this library creates such exceptions.
 *
 * <p>With the emulated BlueField the message contains the known cause, for example that the emulator's folder belongs
 * to another user. With an SDK it contains the cause that DOCA's log reports.
 *
 * <p>If this library itself detects wrong use, it throws {@link IllegalStateException},
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

    /**
     * Constructor for subclasses in this library.
     *
     * @param refusal what the exception says in more detail
     */
    protected DocaException(DocaException refusal) {
        super(refusal.getMessage());
        this.code = refusal.code;
        this.function = refusal.function;
        this.action = refusal.action;
        this.reason = refusal.reason;
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
     * Returns DOCA's error.
     *
     * @return the error; {@link DocaError#UNRECOGNIZED} if the number has no name, see {@link #code()}
     */
    public final DocaError error() {
        return DocaError.of(code);
    }

    /**
     * Returns the error number as DOCA returned it.
     *
     * @return a number of {@code doca_error_t}, possibly one that this version has no name for
     */
    public final int code() {
        return code;
    }

    /**
     * Returns the DOCA function that returned the error, or whose operation failed later.
     *
     * @return its C name
     */
    public final String function() {
        return function;
    }

    /**
     * Returns the operation that failed.
     *
     * @return a phrase that continues "while …"
     */
    public final String action() {
        return action;
    }

    /**
     * Returns the known cause as a sentence. The emulated BlueField reports why it refused, for example because a
     * server is full or the emulator's folder belongs to another user. With an SDK the sentence cites the last error in
     * DOCA's log if DOCA wrote it within the last second; with several threads, that error may belong to another
     * thread's call. The {@linkplain #getMessage() message} also ends with this sentence.
     *
     * @return the sentence; empty if the cause is not known
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
