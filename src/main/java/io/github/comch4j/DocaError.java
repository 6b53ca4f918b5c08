package io.github.comch4j;

/** DOCA's result codes ({@code doca_error_t}), by the same names and numbers. */
public enum DocaError {
    /** The call or task succeeded. */
    SUCCESS(0, "success"),
    /** A failure for which DOCA has no more specific code. */
    UNKNOWN(1, "unknown error"),
    /** The object does not allow the operation now, or not for this caller. */
    NOT_PERMITTED(2, "operation not permitted"),
    /** The object is still in use. */
    IN_USE(3, "still in use"),
    /** The device or the DOCA release does not support the operation. */
    NOT_SUPPORTED(4, "not supported"),
    /** Nothing is wrong, but there is no room at the moment: progress the engine, then try again. */
    AGAIN(5, "no room at the moment, try again"),
    /** An argument is out of range, missing, or belongs to another object. */
    INVALID_VALUE(6, "invalid value"),
    /** Memory or a fixed pool is exhausted. */
    NO_MEMORY(7, "out of memory, or pool exhausted"),
    /** A resource could not be set up. */
    INITIALIZATION(8, "initialization failed"),
    /** The operation took longer than allowed. */
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
    /** The requested object does not exist. */
    NOT_FOUND(16, "not found"),
    /** The data transfer failed, or a task was flushed before the device carried it out. */
    IO_FAILED(17, "input/output failed, or flushed"),
    /** The object is in a state that does not allow this. */
    BAD_STATE(18, "wrong state"),
    /** The versions are not compatible. */
    UNSUPPORTED_VERSION(19, "unsupported version"),
    /** The operating system refused the operation. */
    OPERATING_SYSTEM(20, "operating system call failed"),
    /** The device driver refused the operation. */
    DRIVER(21, "driver call failed"),
    /** An inconsistency inside the library or the object. */
    UNEXPECTED(22, "unexpected condition"),
    /** The object exists already. */
    ALREADY_EXIST(23, "already exists"),
    /** There is no room left. */
    FULL(24, "full"),
    /** There is nothing in it. */
    EMPTY(25, "empty"),
    /** The operation has begun; progress of the engine will finish it. */
    IN_PROGRESS(26, "in progress"),
    /** A value exceeds what can be represented. */
    TOO_BIG(27, "too big"),
    /** Authentication failed. */
    AUTHENTICATION(28, "authentication failed"),
    /** The configuration contradicts itself or the device. */
    BAD_CONFIG(29, "bad configuration"),
    /** The operation was skipped on purpose. */
    SKIPPED(30, "skipped"),
    /** A number that DOCA 3.0 does not name; {@link DocaException#code()} returns it. */
    UNRECOGNIZED(-1, "a code unknown to this version of comch4j");

    private static final DocaError[] BY_CODE = byCode();

    private final int code;
    private final String description;

    DocaError(int code, String description) {
        this.code = code;
        this.description = description;
    }

    /**
     * Returns the constant for a number of {@code doca_error_t}.
     *
     * @param code the number
     * @return its constant, or {@link #UNRECOGNIZED} for a number that DOCA 3.0 does not have
     */
    public static DocaError of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }

    /**
     * Returns the number in {@code doca_error_t}.
     *
     * @return the number; -1 for {@link #UNRECOGNIZED}
     */
    public int code() {
        return code;
    }

    /**
     * Returns a short English phrase, written by this project ({@code doca_error_get_descr} has DOCA's own).
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
