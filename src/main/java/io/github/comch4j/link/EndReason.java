package io.github.comch4j.link;

/** Why a socket has ended a connection other than by being closed, as its peer is told as well. */
public enum EndReason {
    /** More has arrived than the peer was allowed to send, and than its receiver keeps. */
    NOT_RECEIVED(1, "more messages were sent than the receiver has room for, and the sender did not wait"),
    /** The server accepts no more connections. */
    SHUTTING_DOWN(2, "the server is shutting down"),
    /** The numbers of the messages that have arrived have a gap. */
    MISSING(3, "messages are missing in the middle"),
    /** What has arrived has no header, or one end has and the other has not. */
    NOT_FRAMED(4, "one end sends messages without the header of sockets, as plainPeer() does, and the other does not"),
    /** A message that was accepted could not be delivered. */
    NOT_SENT(5, "a message that was accepted could not be delivered"),
    /** The peer has sent more after it said that it had sent all. */
    AFTER_END(6, "messages were sent after the announced end");

    private final int code;
    private final String text;

    EndReason(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number that the peer is told. */
    public int code() {
        return code;
    }

    /** For the message of an exception. */
    public String text() {
        return text;
    }

    /** As {@link #text()}, of the reason that has this number. */
    public static String text(long code) {
        for (EndReason reason : values()) {
            if (reason.code == code) {
                return reason.text;
            }
        }
        return "unknown reason " + code;
    }
}
