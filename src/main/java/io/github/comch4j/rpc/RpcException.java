package io.github.comch4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * A call has failed. {@link #kind()} tells why; {@link #delivery()} tells how far the call had come, and with it
 * whether it may be made again: {@link #isSafeToRepeat()}.
 *
 * <table>
 * <caption>How far a call that failed has come</caption>
 * <tr><th scope="col">kind</th><th scope="col">delivery</th></tr>
 * <tr><td>{@link Kind#FAILED}</td><td>{@link Delivery#HANDLED}</td></tr>
 * <tr><td>{@link Kind#NO_METHOD}</td><td>{@link Delivery#REFUSED}</td></tr>
 * <tr><td>{@link Kind#BUSY}</td><td>{@link Delivery#NOT_SENT} if it is the client that has too many in flight,
 * {@link Delivery#REFUSED} if it is the server</td></tr>
 * <tr><td>{@link Kind#TOO_LONG}</td><td>{@link Delivery#REFUSED} if the request is, {@link Delivery#HANDLED} if the
 * response is</td></tr>
 * <tr><td>{@link Kind#TIME_OUT}</td><td>{@link Delivery#NOT_SENT}, or {@link Delivery#SENT}; {@link Delivery#REFUSED}
 * if the server says that the request came too late</td></tr>
 * <tr><td>{@link Kind#UNAVAILABLE}</td><td>{@link Delivery#NOT_SENT}, or {@link Delivery#SENT} if the connection has
 * ended meanwhile; {@link Delivery#REFUSED} if the server is shutting down</td></tr>
 * <tr><td>{@link Kind#OTHER}</td><td>what the server says; {@link Delivery#SENT} if it does not</td></tr>
 * </table>
 *
 * <p>Servers of versions that do not tell how far a request has come leave {@link Delivery#SENT} of {@link
 * Kind#TOO_LONG}.
 */
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
        /** There was no response in time. */
        TIME_OUT(5),
        /** There is no connection, or it has ended, or the server is shutting down, or the client is closed. */
        UNAVAILABLE(6),
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

    /** How far the call has come. */
    public enum Delivery {
        /**
         * It has not left this process, or not all of it, or a part of it could not be sent: its handler has not run
         * and will not.
         */
        NOT_SENT,
        /** The server has refused it: its handler has not run and will not. */
        REFUSED,
        /** It has left this process: whether its handler has run, or will, is not known. */
        SENT,
        /** Its handler has run. */
        HANDLED
    }

    /** Why. */
    private final Kind kind;
    /** How far it has come. */
    private final Delivery delivery;
    /** Of the application. */
    private final int code;
    /** Of the application. */
    private final byte[] detail;
    /** Whether a handler has made it, to be thrown. */
    private final boolean ofHandler;

    RpcException(Kind kind, Delivery delivery, String message) {
        this(kind, delivery, message, null);
    }

    RpcException(Kind kind, Delivery delivery, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.delivery = delivery;
        this.code = 0;
        this.detail = OutgoingFrame.EMPTY;
        this.ofHandler = false;
    }

    private RpcException(Delivery delivery, int code, String message, byte[] detail, boolean ofHandler) {
        super(message);
        this.kind = Kind.FAILED;
        this.delivery = delivery;
        this.code = code;
        this.detail = detail;
        this.ofHandler = ofHandler;
    }

    /**
     * For a handler to throw: the client's call fails with this code, text and detail. Other exceptions of a handler,
     * also those of calls that it makes itself, reach the client as a text, with code 0.
     *
     * @param code a number of the application's, not 0
     * @param message a text
     * @param detail any bytes, of the application's; together with the text within the server's {@code maxBody}
     * @return an exception of kind {@link Kind#FAILED}
     * @throws IllegalArgumentException if the code is 0
     */
    public static RpcException failed(int code, String message, byte[] detail) {
        if (code == 0) {
            throw new IllegalArgumentException("code 0 says that there is none");
        }
        return new RpcException(Delivery.HANDLED, code, message, detail.clone(), true);
    }

    /** What a server has told. */
    static RpcException told(Delivery delivery, int code, String message, byte[] detail) {
        return new RpcException(delivery, code, message, detail, false);
    }

    /** Whether a handler has made it, to be thrown. */
    boolean isOfHandler() {
        return ofHandler;
    }

    /**
     * Why it failed.
     *
     * @return the kind of failure
     */
    public Kind kind() {
        return kind;
    }

    /**
     * How far the call has come.
     *
     * @return what is known of it
     */
    public Delivery delivery() {
        return delivery;
    }

    /**
     * Whether the handler has not run and will not, so that the call can be made again.
     *
     * @return true of {@link Delivery#NOT_SENT} and {@link Delivery#REFUSED}
     */
    public boolean isSafeToRepeat() {
        return delivery == Delivery.NOT_SENT || delivery == Delivery.REFUSED;
    }

    /**
     * What the handler has said, see {@link #failed}.
     *
     * @return a number of the application's; 0 if there is none
     */
    public int code() {
        return code;
    }

    /**
     * What the handler has said, see {@link #failed}.
     *
     * @return bytes of the application's, a copy; none if there are none
     */
    public byte[] detail() {
        return detail.clone();
    }
}
