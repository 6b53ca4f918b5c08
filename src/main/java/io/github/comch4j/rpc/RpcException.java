package io.github.comch4j.rpc;

/** A call has failed, and not because its connection has ended. */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Kind {
        /** The handler threw; the message is of its exception. */
        FAILED(1),
        /** The server has no handler for the method. */
        NO_METHOD(2),
        /** Too many calls, or too many bytes, are under way: try again later. The handler has not run. */
        BUSY(3),
        /** The request or the response is longer than the server or the client takes. */
        TOO_LONG(4),
        /** There was no response in time. The handler may have run. */
        TIME_OUT(5),
        /** The server gave a reason that this version does not know. */
        OTHER(0);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return OTHER;
        }
    }

    /** Why. */
    private final Kind kind;

    RpcException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /**
     * Why it failed.
     *
     * @return the kind of failure
     */
    public Kind kind() {
        return kind;
    }
}
