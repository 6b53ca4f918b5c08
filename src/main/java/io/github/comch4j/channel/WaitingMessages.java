package io.github.comch4j.channel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Messages of any peers that have come and were not received, and the ends of connections among them, in their order. A
 * ring of slots that grows; it allocates nothing per message. One thread at a time.
 */
final class WaitingMessages {
    private static final int FIRST_SLOTS = 16;
    private static final int END = -1; // in place of a length

    private final int limit;
    private int slotSize;
    private PeerOverComch[] peers = new PeerOverComch[FIRST_SLOTS];
    private int[] lengths = new int[FIRST_SLOTS];
    private @Nullable MemorySegment bytes; // null: nothing has had to wait so far
    private int head;
    private int count;

    /** Full with {@code limit} messages, which need not be longer than {@code messageSize}. */
    WaitingMessages(int limit, int messageSize) {
        this.limit = limit;
        this.slotSize = messageSize;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether no more should be let in; what comes all the same is taken. */
    boolean isFull() {
        return count >= limit;
    }

    /** A message has come. */
    void add(PeerOverComch from, MemorySegment message) {
        int length = (int) message.byteSize();
        int at = claim(from, length, length);
        MemorySegment.copy(message, 0, slots(), (long) at * slotSize, length);
    }

    /** The connection has ended: nothing comes from this peer any more. */
    void addEnd(PeerOverComch of) {
        claim(of, END, 0);
    }

    private int claim(PeerOverComch peer, int length, int room) {
        if (count == peers.length || room > slotSize) {
            grow(count == peers.length ? 2 * count : peers.length, Math.max(room, slotSize));
        }
        int at = (head + count) & (peers.length - 1);
        peers[at] = peer;
        lengths[at] = length;
        count++;
        return at;
    }

    private MemorySegment slots() {
        MemorySegment present = bytes;
        if (present == null) {
            present = Arena.ofAuto().allocate((long) peers.length * slotSize, 8);
            bytes = present;
        }
        return present;
    }

    private void grow(int slots, int size) {
        PeerOverComch[] newPeers = new PeerOverComch[slots];
        int[] newLengths = new int[slots];
        MemorySegment newBytes = bytes == null ? null : Arena.ofAuto().allocate((long) slots * size, 8);
        for (int i = 0; i < count; i++) {
            int at = (head + i) & (peers.length - 1);
            newPeers[i] = peers[at];
            newLengths[i] = lengths[at];
            if (bytes != null && newBytes != null && lengths[at] != END) {
                MemorySegment.copy(bytes, (long) at * slotSize, newBytes, (long) i * size, lengths[at]);
            }
        }
        peers = newPeers;
        lengths = newLengths;
        bytes = newBytes;
        slotSize = size;
        head = 0;
    }

    /** Whose turn it is. */
    PeerOverComch first() {
        return peers[head];
    }

    /** Whether that is an end. */
    boolean firstIsEnd() {
        return lengths[head] == END;
    }

    /** How long that message is. */
    int firstLength() {
        return lengths[head];
    }

    /** Copies that message, which stays. */
    void copyFirst(MemorySegment into) {
        MemorySegment.copy(slots(), (long) head * slotSize, into, 0, lengths[head]);
    }

    /** It is done with. */
    void removeFirst() {
        peers[head] = null;
        head = (head + 1) & (peers.length - 1);
        count--;
    }
}
