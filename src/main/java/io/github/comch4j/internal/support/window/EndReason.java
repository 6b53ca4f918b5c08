package io.github.comch4j.internal.support.window;

/** Why a socket has ended a connection other than by being closed, as its peer is told as well. */
public enum EndReason {
    /** More has arrived than the peer was allowed to send, and than its receiver keeps. */
    NOT_RECEIVED(1, "more messages were sent than the receiving side had room for, and it was not waited"),
    /** The server accepts no more connections. */
    SHUTTING_DOWN(2, "the server is shutting down");

    private final int code;
    private final String text;

    EndReason(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number in a frame. */
    public int code() {
        return code;
    }

    /** For the message of an exception. */
    public static String text(long code) {
        for (EndReason reason : values()) {
            if (reason.code == code) {
                return reason.text;
            }
        }
        return "for a reason that this version does not know: " + code;
    }
}
