package io.github.comch4j.cli.relay;

import io.github.comch4j.internal.support.relay.Splice;
import java.util.concurrent.atomic.AtomicLong;

/** What a relay says, on stderr, and counts. */
final class Report implements RelayMXBean {
    private final boolean verbose;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong reset = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    Report(boolean verbose) {
        this.verbose = verbose;
    }

    void say(String sentence) {
        System.err.println("comch: " + sentence);
    }

    void detail(String sentence) {
        if (verbose) {
            say(sentence);
        }
    }

    /** The number of one more stream. */
    long begins(Place.Pair pair) {
        long number = begun.incrementAndGet();
        detail("stream " + number + ": " + pair + " begins");
        return number;
    }

    /** A stream that does not come to be. */
    void refused(String sentence) {
        refused.incrementAndGet();
        say(sentence);
    }

    void ends(long number, long began, Splice splice) {
        ended.incrementAndGet();
        reset.addAndGet(splice.wasReset() ? 1 : 0);
        sent.addAndGet(splice.toStream());
        received.addAndGet(splice.fromStream());
        detail("stream %d: %s after %.3f s, %d bytes sent, %d received"
                .formatted(
                        number,
                        splice.wasReset() ? "reset" : "ended",
                        (System.nanoTime() - began) / 1e9,
                        splice.toStream(),
                        splice.fromStream()));
    }

    void ends(long number, String how) {
        ended.incrementAndGet();
        detail("stream " + number + ": " + how);
    }

    @Override
    public long getOpenStreams() {
        long gone = ended.get(); // before those that have begun, or there were less than none
        return begun.get() - gone;
    }

    @Override
    public long getStreams() {
        return begun.get();
    }

    @Override
    public long getResetStreams() {
        return reset.get();
    }

    @Override
    public long getRefusedStreams() {
        return refused.get();
    }

    @Override
    public long getBytesSent() {
        return sent.get();
    }

    @Override
    public long getBytesReceived() {
        return received.get();
    }
}
