package io.github.comch4j.cli.relay;

import io.github.comch4j.internal.support.relay.Splice;
import java.util.concurrent.atomic.AtomicLong;

/** What a relay says, on stderr; and the numbers of its streams. */
final class Report {
    private final boolean verbose;
    private final AtomicLong numbers = new AtomicLong();

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
        long number = numbers.incrementAndGet();
        detail("stream " + number + ": " + pair + " begins");
        return number;
    }

    void ends(long number, long began, Splice splice) {
        detail("stream %d: %s after %.3f s, %d bytes sent, %d received"
                .formatted(
                        number,
                        splice.wasReset() ? "reset" : "ended",
                        (System.nanoTime() - began) / 1e9,
                        splice.toStream(),
                        splice.fromStream()));
    }

    void ends(long number, String how) {
        detail("stream " + number + ": " + how);
    }
}
