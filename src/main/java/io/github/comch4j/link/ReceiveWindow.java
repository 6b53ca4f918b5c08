package io.github.comch4j.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a peer may send to who receives a connection's messages. When they become many, the peer is told how much it may
 * send, and from then on each time a quarter more has been received. Belongs to the thread of the connection, except
 * for {@link #received}.
 */
public final class ReceiveWindow {
    /** What a peer may send beyond the limit until it observes windows: they need time to reach it. */
    private static final long GRACE_BYTES = 4 << 20;

    private static final long NONE = -1;

    private final AtomicLong received = new AtomicLong(); // all sizes as windows count
    private volatile long limit;
    private volatile long window = NONE; // the peer's, as it was last told
    private long least; // of the limit
    private long arrived;
    private long seen; // of `received`, which another thread keeps changing: looked at where that matters
    private boolean observed;

    /**
     * With nothing in it.
     *
     * @param limit how much may wait to be received
     */
    public ReceiveWindow(long limit) {
        this.limit = limit;
    }

    /** At least eight of the longest messages, or the windows could be too small for one. */
    public void longestMessage(int bytes) {
        least = 8 * Framing.cost(bytes);
        limit(limit);
    }

    /** How much may wait to be received from now on; what the peer was told remains. */
    public void limit(long bytes) {
        limit = Math.max(bytes, least);
    }

    /** A message has arrived. Returns false if that is more than was allowed: then it does not count. */
    public boolean arrived(long length) {
        long now = arrived + Framing.cost(length);
        if (observed ? now > window : now - seen > limit + GRACE_BYTES && backlog(now) > limit + GRACE_BYTES) {
            return false;
        }
        arrived = now;
        return true;
    }

    /** Whether so much has arrived that the peer is to be told for the first time. */
    public boolean isFirstDue() {
        return window == NONE && arrived - seen > limit / 4 && backlog(arrived) > limit / 4;
    }

    private long backlog(long until) {
        seen = received.get();
        return until - seen;
    }

    /** The peer observes windows from now on. */
    public void observed() {
        observed = window != NONE;
    }

    /** How much the peer may have sent since the connection began, as it is to be told now. */
    public long renew() {
        window = Math.max(window, received.get() + limit);
        return window;
    }

    /**
     * So much has been received, counted as windows count. Any thread.
     *
     * @return whether the peer is to be told
     */
    public boolean received(long cost) {
        long told = window;
        return received.addAndGet(cost) + limit - told >= limit / 4 && told != NONE;
    }
}
