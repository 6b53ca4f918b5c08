package io.github.comch4j.streams;

import java.net.ConnectException;

/** A stream that the other end, or this one, did not open. */
public final class StreamRefusedException extends ConnectException {
    private static final long serialVersionUID = 1L;

    /** The request is none of this protocol's. */
    public static final int BAD_REQUEST = 400;
    /** Nobody serves that name. */
    public static final int NO_SERVICE = 404;
    /** What the name stands for cannot be reached. */
    public static final int UNREACHABLE = 502;
    /** Not now: as many streams as there may be, or the end is near. */
    public static final int BUSY = 503;
    /** There was no connection in time. */
    public static final int NO_CONNECTION = 504;
    /** The other end has another version of the protocol. */
    public static final int VERSION = 505;

    /** One of the above, or what else the other end has said. */
    private final int status;

    public StreamRefusedException(int status, String reason) {
        super(reason);
        this.status = status;
    }

    public int status() {
        return status;
    }

    public String reason() {
        return getMessage();
    }
}
