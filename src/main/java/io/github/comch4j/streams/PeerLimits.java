package io.github.comch4j.streams;

import java.time.Duration;

/**
 * How much one peer may have of this process.
 *
 * @param window bytes of a stream that are under way or wait to be read, in each direction
 * @param streams streams at a time of a connection
 * @param connections Comch connections at a time of a server
 * @param drain how long streams may go on when their connection is to end
 */
public record PeerLimits(int window, int streams, int connections, Duration drain) {
    /** Those that are used unless somebody says otherwise. */
    public static final PeerLimits USUAL = new PeerLimits(256 << 10, 4096, 64, Duration.ofSeconds(10));

    /** The windows of all streams are together the window of their connection, which HTTP/2 has a bound for. */
    private static final long ALL_WINDOWS = Integer.MAX_VALUE;
    /** RFC 9113, 6.9.2: where each window begins. */
    static final int FIRST_WINDOW = 65_535;

    private static final int SMALLEST_WINDOW = 1 << 10;

    public PeerLimits {
        if (window < SMALLEST_WINDOW || streams < 1 || connections < 1 || drain.isNegative()) {
            throw new IllegalArgumentException("a window must have at least " + SMALLEST_WINDOW
                    + " bytes, with at least 1 stream and 1 connection, and a drain time that is not negative");
        }
        if ((long) window * streams > ALL_WINDOWS) {
            throw new IllegalArgumentException(
                    streams + " streams with windows of " + window + " bytes have more than 2 GiB together");
        }
    }

    /** A connection's window, in which no stream can be in the way of another one. */
    int connectionWindow() {
        return Math.max(FIRST_WINDOW, window * streams);
    }
}
