package io.github.comch4j.link;

/** What the peer allows to be sent to it. One thread at a time. */
public final class SendWindow {
    private long window = Long.MAX_VALUE;
    private long sent; // as windows count

    /** With no bound. */
    public SendWindow() {}

    /** The peer has told how much may be sent since the connection began. Returns whether for the first time. */
    public boolean told(long total) {
        boolean first = window == Long.MAX_VALUE;
        window = total;
        return first;
    }

    /** Whether a message may be sent now. */
    public boolean allows(long length) {
        return sent + Framing.cost(length) <= window;
    }

    /** It was sent. */
    public void sent(long length) {
        sent += Framing.cost(length);
    }
}
