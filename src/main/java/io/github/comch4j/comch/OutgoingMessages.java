package io.github.comch4j.comch;

import io.github.comch4j.internal.observe.Counter;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What is under way on one connection: its send tasks, what handlers have queued because there was no room, and since
 * when nothing has gone. Belongs to the engine's owner, but for the counter.
 */
final class OutgoingMessages {
    /** Of {@link io.github.comch4j.internal.transport.MessageSender}. */
    final long place;
    /** Episodes in which the peer has not read. Any thread may ask. */
    final Counter stalls = new Counter();

    long failed; // messages, as long as the connection lasts
    long takenInAll = -1; // by the peer's device; not before the connection has ended

    private final ArrayDeque<byte[]> queue = new ArrayDeque<>(0);
    private long queuedBytes;
    private boolean isQueueing; // the queue is not empty: what each message asks

    long failedMessage; // the number of the last one

    boolean awaitsWritable; // in the queue of MessageSends
    boolean tellsWritable; // the program was refused, and has a handler

    private long endedBefore = -1; // messages, when `since` was taken
    private long since;
    private boolean stalled; // the episode has been told

    OutgoingMessages(long place) {
        this.place = place;
    }

    /** Whether messages wait for room, behind which others have to go. */
    boolean isQueueing() {
        return isQueueing;
    }

    long queuedBytes() {
        return queuedBytes;
    }

    void add(byte[] message) {
        queue.add(message);
        queuedBytes += message.length;
        isQueueing = true;
    }

    byte @Nullable [] first() {
        return queue.peek();
    }

    void removeFirst() {
        queuedBytes -= queue.remove().length;
        isQueueing = !queue.isEmpty();
    }

    /** Nothing of it can go out any more. */
    void clear() {
        queue.clear();
        queuedBytes = 0;
        isQueueing = false;
    }

    /** For how long no message has gone while there was no room, nanoseconds. */
    long stalledFor(long ended, long now) {
        if (ended != endedBefore) {
            endedBefore = ended;
            since = now;
            stalled = false;
        }
        return now - since;
    }

    /** Whether the episode is to be told: once. */
    boolean beginsStall() {
        if (stalled) {
            return false;
        }
        stalled = true;
        stalls.increment();
        return true;
    }
}
