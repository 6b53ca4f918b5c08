package io.github.comch4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call fails. {@link #kind()} returns the reason. {@link #delivery()} returns how far the call got, and
 * {@link #isSafeToRepeat()} whether you can make it again.
 *
 * <table>
 * <caption>How far a failed call got</caption>
 * <tr><th scope="col">kind</th><th scope="col">delivery</th></tr>
 * <tr><td>{@link Kind#FAILED}</td><td>{@link Delivery#HANDLED}</td></tr>
 * <tr><td>{@link Kind#NO_METHOD}</td><td>{@link Delivery#REFUSED}</td></tr>
 * <tr><td>{@link Kind#BUSY}</td><td>{@link Delivery#NOT_SENT} if the client has too many calls in flight,
 * {@link Delivery#REFUSED} if the server has</td></tr>
 * <tr><td>{@link Kind#TOO_LONG}</td><td>{@link Delivery#REFUSED} for a request, {@link Delivery#HANDLED} for a
 * response</td></tr>
 * <tr><td>{@link Kind#TIME_OUT}</td><td>{@link Delivery#NOT_SENT}, or {@link Delivery#SENT}; {@link Delivery#REFUSED}
 * if the server reports that the request came too late</td></tr>
 * <tr><td>{@link Kind#UNAVAILABLE}</td><td>{@link Delivery#NOT_SENT}, or {@link Delivery#SENT} if the connection has
 * ended during the call; {@link Delivery#REFUSED} if the server is shutting down</td></tr>
 * <tr><td>{@link Kind#OTHER}</td><td>as the server reports it; {@link Delivery#SENT} if it does not</td></tr>
 * </table>
 *
 * <p>Some versions of the server do not report how far a request got. With them, a call of kind {@link Kind#TOO_LONG}
 * has the delivery {@link Delivery#SENT}.
 */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason for a failure. */
    public enum Kind {
        /** The handler threw an exception; the message is that exception's. */
        FAILED(1),
        /** The server has no handler for the method. */
        NO_METHOD(2),
        /** Too many calls, or too many bytes, are in flight. The handler has not run; try again later. */
        BUSY(3),
        /** The request or the response is longer than the server or the client accepts. */
        TOO_LONG(4),
        /** No response arrived in time. */
        TIME_OUT(5),
        /** There is no connection, the connection has ended, the server is shutting down, or the client is closed. */
        UNAVAILABLE(6),
        /** The server reported a reason that this version does not know. */
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

    /** How far a call got. */
    public enum Delivery {
        /** The call, or a part of it, has not left this process. Its handler has not run and will not run. */
        NOT_SENT,
        /** The server has refused the call. Its handler has not run and will not run. */
        REFUSED,
        /** The call has left this process. It is unknown whether its handler has run or will run. */
        SENT,
        /** The handler has run. */
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
     * Creates an exception for a handler to throw. The client's call fails with this code, text and detail. Any other
     * exception of a handler reaches the client as a text with code 0. This includes an {@code RpcException} of a call
     * that the handler itself made.
     *
     * @param code a number that the application defines, not 0
     * @param message a text
     * @param detail any bytes that the application defines; together with the text, at most the server's
     *     {@code maxBody}
     * @return an exception of kind {@link Kind#FAILED}
     * @throws IllegalArgumentException if the code is 0
     */
    public static RpcException failed(int code, String message, byte[] detail) {
        if (code == 0) {
            throw new IllegalArgumentException("the code must not be 0, which stands for no code");
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
     * Returns why the call failed.
     *
     * @return the kind of failure
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Returns how far the call got.
     *
     * @return the delivery, as far as the client knows it
     */
    public Delivery delivery() {
        return delivery;
    }

    /**
     * Returns whether you can make the call again because its handler has not run and will not run.
     *
     * @return true for {@link Delivery#NOT_SENT} and {@link Delivery#REFUSED}
     */
    public boolean isSafeToRepeat() {
        return delivery == Delivery.NOT_SENT || delivery == Delivery.REFUSED;
    }

    /**
     * Returns the code that the handler passed to {@link #failed}.
     *
     * @return a number that the application defines; 0 if there is none
     */
    public int code() {
        return code;
    }

    /**
     * Returns the detail that the handler passed to {@link #failed}.
     *
     * @return a copy of the application's bytes; empty if there are none
     */
    public byte[] detail() {
        return detail.clone();
    }
}
