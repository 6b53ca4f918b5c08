package io.github.comch4j;

import io.github.comch4j.ffi.doca_h;

/** DOCA's result codes ({@code doca_error_t}), by the same names and numbers. */
public enum DocaError {
    /** The call or task did what it was asked to do. */
    SUCCESS(doca_h.DOCA_SUCCESS(), "success"),
    /** A failure that DOCA has no closer name for. */
    UNKNOWN(doca_h.DOCA_ERROR_UNKNOWN(), "unknown error"),
    /** The object does not allow this now, or not to this caller. */
    NOT_PERMITTED(doca_h.DOCA_ERROR_NOT_PERMITTED(), "operation not permitted"),
    /** Somebody still uses the object. */
    IN_USE(doca_h.DOCA_ERROR_IN_USE(), "still in use"),
    /** The device or this release cannot do it. */
    NOT_SUPPORTED(doca_h.DOCA_ERROR_NOT_SUPPORTED(), "not supported"),
    /** Nothing is wrong, but there is no room at the moment: progress, then try again. */
    AGAIN(doca_h.DOCA_ERROR_AGAIN(), "no room at the moment, try again"),
    /** An argument is out of range, missing, or belongs to another object. */
    INVALID_VALUE(doca_h.DOCA_ERROR_INVALID_VALUE(), "invalid value"),
    /** Memory or a fixed pool is exhausted. */
    NO_MEMORY(doca_h.DOCA_ERROR_NO_MEMORY(), "out of memory, or pool exhausted"),
    /** A resource could not be set up. */
    INITIALIZATION(doca_h.DOCA_ERROR_INITIALIZATION(), "initialisation failed"),
    /** It took longer than allowed. */
    TIME_OUT(doca_h.DOCA_ERROR_TIME_OUT(), "timed out"),
    /** The object or process is being shut down. */
    SHUTDOWN(doca_h.DOCA_ERROR_SHUTDOWN(), "shutting down"),
    /** The peer broke the connection. */
    CONNECTION_RESET(doca_h.DOCA_ERROR_CONNECTION_RESET(), "connection reset by the peer"),
    /** The connection attempt was refused, or the connection was broken off. */
    CONNECTION_ABORTED(doca_h.DOCA_ERROR_CONNECTION_ABORTED(), "connection refused or aborted"),
    /** The connection is not established yet. */
    CONNECTION_INPROGRESS(doca_h.DOCA_ERROR_CONNECTION_INPROGRESS(), "connection is being established"),
    /** There is no connection, or no progress engine is connected. */
    NOT_CONNECTED(doca_h.DOCA_ERROR_NOT_CONNECTED(), "not connected"),
    /** A lock could not be taken. */
    NO_LOCK(doca_h.DOCA_ERROR_NO_LOCK(), "lock not available"),
    /** What was looked for does not exist. */
    NOT_FOUND(doca_h.DOCA_ERROR_NOT_FOUND(), "not found"),
    /** Data transfer failed, or a task was flushed before it was carried out. */
    IO_FAILED(doca_h.DOCA_ERROR_IO_FAILED(), "input/output failed, or flushed"),
    /** The object is in a state that does not allow this. */
    BAD_STATE(doca_h.DOCA_ERROR_BAD_STATE(), "wrong state"),
    /** Versions do not fit together. */
    UNSUPPORTED_VERSION(doca_h.DOCA_ERROR_UNSUPPORTED_VERSION(), "unsupported version"),
    /** The operating system refused. */
    OPERATING_SYSTEM(doca_h.DOCA_ERROR_OPERATING_SYSTEM(), "operating system call failed"),
    /** The device driver refused. */
    DRIVER(doca_h.DOCA_ERROR_DRIVER(), "driver call failed"),
    /** An inconsistency inside the library or the object. */
    UNEXPECTED(doca_h.DOCA_ERROR_UNEXPECTED(), "unexpected condition"),
    /** It is there already. */
    ALREADY_EXIST(doca_h.DOCA_ERROR_ALREADY_EXIST(), "exists already"),
    /** No room left. */
    FULL(doca_h.DOCA_ERROR_FULL(), "full"),
    /** Nothing there. */
    EMPTY(doca_h.DOCA_ERROR_EMPTY(), "empty"),
    /** Begun, and finished later by progress. */
    IN_PROGRESS(doca_h.DOCA_ERROR_IN_PROGRESS(), "in progress"),
    /** A value exceeds what can be represented. */
    TOO_BIG(doca_h.DOCA_ERROR_TOO_BIG(), "too big"),
    /** Authentication failed. */
    AUTHENTICATION(doca_h.DOCA_ERROR_AUTHENTICATION(), "authentication failed"),
    /** The configuration contradicts itself or the device. */
    BAD_CONFIG(doca_h.DOCA_ERROR_BAD_CONFIG(), "bad configuration"),
    /** Left out on purpose. */
    SKIPPED(doca_h.DOCA_ERROR_SKIPPED(), "skipped"),
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
