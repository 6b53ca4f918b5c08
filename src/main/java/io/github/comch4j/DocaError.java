package io.github.comch4j;

/** DOCA's result codes ({@code doca_error_t}), by the same names and numbers. */
public enum DocaError {
    /** The call or task did what it was asked to do. */
    SUCCESS(0, "success"),
    /** A failure that DOCA has no closer name for. */
    UNKNOWN(1, "unknown error"),
    /** The object does not allow this now, or not to this caller. */
    NOT_PERMITTED(2, "operation not permitted"),
    /** Somebody still uses the object. */
    IN_USE(3, "still in use"),
    /** The device or this release cannot do it. */
    NOT_SUPPORTED(4, "not supported"),
    /** Nothing is wrong, but there is no room at the moment: progress, then try again. */
    AGAIN(5, "no room at the moment, try again"),
    /** An argument is out of range, missing, or belongs to another object. */
    INVALID_VALUE(6, "invalid value"),
    /** Memory or a fixed pool is exhausted. */
    NO_MEMORY(7, "out of memory, or pool exhausted"),
    /** A resource could not be set up. */
    INITIALIZATION(8, "initialization failed"),
    /** It took longer than allowed. */
    TIME_OUT(9, "timed out"),
    /** The object or process is being shut down. */
    SHUTDOWN(10, "shutting down"),
    /** The peer broke the connection. */
    CONNECTION_RESET(11, "connection reset by the peer"),
    /** The connection attempt was refused, or the connection was broken off. */
    CONNECTION_ABORTED(12, "connection refused or aborted"),
    /** The connection is not established yet. */
    CONNECTION_INPROGRESS(13, "connection is being established"),
    /** There is no connection, or no progress engine is connected. */
    NOT_CONNECTED(14, "not connected"),
    /** A lock could not be taken. */
    NO_LOCK(15, "lock not available"),
    /** What was looked for does not exist. */
    NOT_FOUND(16, "not found"),
    /** Data transfer failed, or a task was flushed before it was carried out. */
    IO_FAILED(17, "input/output failed, or flushed"),
    /** The object is in a state that does not allow this. */
    BAD_STATE(18, "wrong state"),
    /** Versions do not fit together. */
    UNSUPPORTED_VERSION(19, "unsupported version"),
    /** The operating system refused. */
    OPERATING_SYSTEM(20, "operating system call failed"),
    /** The device driver refused. */
    DRIVER(21, "driver call failed"),
    /** An inconsistency inside the library or the object. */
    UNEXPECTED(22, "unexpected condition"),
    /** It is there already. */
    ALREADY_EXIST(23, "exists already"),
    /** No room left. */
    FULL(24, "full"),
    /** Nothing there. */
    EMPTY(25, "empty"),
    /** Begun, and finished later by progress. */
    IN_PROGRESS(26, "in progress"),
    /** A value exceeds what can be represented. */
    TOO_BIG(27, "too big"),
    /** Authentication failed. */
    AUTHENTICATION(28, "authentication failed"),
    /** The configuration contradicts itself or the device. */
    BAD_CONFIG(29, "bad configuration"),
    /** Left out on purpose. */
    SKIPPED(30, "skipped"),
    /** A number that DOCA 3.0 does not name; {@link DocaException#code()} has it. */
    UNRECOGNIZED(-1, "a code that this version does not know");

    private static final DocaError[] BY_CODE = byCode();

    private final int code;
    private final String description;

    DocaError(int code, String description) {
        this.code = code;
        this.description = description;
    }

    /**
     * The constant for a number of {@code doca_error_t}.
     *
     * @param code the number
     * @return its constant, or {@link #UNRECOGNIZED} for a number that DOCA 3.0 does not have
     */
    public static DocaError of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }

    /**
     * The number in {@code doca_error_t}.
     *
     * @return the number; -1 for {@link #UNRECOGNIZED}
     */
    public int code() {
        return code;
    }

    /**
     * A short English phrase, this project's own ({@code doca_error_get_descr} has DOCA's).
     *
     * @return the phrase
     */
    public String description() {
        return description;
    }

    private static DocaError[] byCode() {
        DocaError[] all = values();
        DocaError[] table = new DocaError[all.length - 1];
        for (DocaError error : all) {
            if (error != UNRECOGNIZED) {
                table[error.code] = error;
            }
        }
        return table;
    }
}
