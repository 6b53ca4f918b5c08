package io.github.comch4j.comch;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ConnectionCalls;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;

/**
 * What was sent and received on one connection: the library's own counts, which any thread may read, and DOCA's. The
 * engine's owner counts.
 */
final class MessageCounts {
    final Counter sent = new Counter();
    final Counter sentBytes = new Counter();
    final Counter received = new Counter();
    final Counter receivedBytes = new Counter();
    final Counter failed = new Counter();
    final BackPressure backPressure = new BackPressure();
    private ConnectionCounters ofDoca = new ConnectionCounters(0, 0, 0, 0);

    void accepted(int length) {
        sent.increment();
        sentBytes.add(length);
        backPressure.relieve();
    }

    void arrived(long length) {
        received.increment();
        receivedBytes.add(length);
    }

    /** DOCA's counts as they were last read. */
    ConnectionCounters ofDoca() {
        return ofDoca;
    }

    /** Reads DOCA's counts; the connection must still be there. */
    void readFromDoca(ComchConnection connection) {
        String action = "reading the counters of " + connection;
        long address = connection.address();
        ConnectionCalls.updateCounters(address, action);
        ofDoca = new ConnectionCounters(
                ConnectionCalls.counter(address, ConnectionCalls.SENT_MESSAGES, action),
                ConnectionCalls.counter(address, ConnectionCalls.SENT_BYTES, action),
                ConnectionCalls.counter(address, ConnectionCalls.RECEIVED_MESSAGES, action),
                ConnectionCalls.counter(address, ConnectionCalls.RECEIVED_BYTES, action));
    }

    /** Reads DOCA's counts for the last time, as far as DOCA still tells them. */
    void readForTheLastTime(ComchConnection connection) {
        try {
            readFromDoca(connection);
        } catch (DocaException e) {
            // the peer has died, and DOCA tells no more: what was read before remains
        }
    }
}
