package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;

/**
 * The events of one engine's producers and consumers, and the messages of its servers and clients, in memory that the
 * batch library writes and Java reads: tasks that ended, changes of state and messages, in their order.
 *
 * <p>It cannot overflow: it has a place for each task, which is in it at most once, for all changes of state from start
 * to idle of each context, which only Java starts, and for as many messages as the batch library appends at most. All
 * methods belong to the engine's owner.
 */
public final class CompletionRing {
    private static final int SMALLEST = 64;

    private final Arena arena; // of the engine
    private final long engine; // struct batch_engine
    private long entries;
    private int mask;
    private int head;
    private int places; // that can be in use at once
    private int left; // while entries are delivered: how many more
    private int lastTail; // as far as known
    private long entry; // that was taken last, or that next() has left where it is
    private long what; // of that entry: slot, Batch.STATE or Batch.MESSAGE; context; status

    CompletionRing(Arena arena, long engine) {
        this.arena = arena;
        this.engine = engine;
        resize(SMALLEST);
    }

    /** Makes room for a producer or consumer with so many tasks. */
    void add(int tasks) {
        reserve(tasks + Batch.STATES);
    }

    /**
     * Makes room for messages: from now on the batch library appends them.
     *
     * @param field where the batch library looks for the inbox, of {@code struct batch_engine}
     */
    void add(Inbox inbox, int field) {
        reserve(inbox.places());
        Batch.setLong(engine + field, inbox.address());
    }

    /** No handler looks at a message: all places of the inboxes are free. */
    void emptyInboxes() {
        Batch.setInt(engine + Batch.ENGINE_MESSAGES, 0);
    }

    private void reserve(int more) {
        places += more;
        if (places > mask + 1) {
            resize(Math.max(2 * (mask + 1), TaskQueue.powerOfTwo(places)));
        }
    }

    /** A producer or consumer with so many tasks is gone. */
    void remove(int tasks) {
        places -= tasks + Batch.STATES;
    }

    private void resize(int capacity) {
        long bigger = arena.allocate((long) capacity << Batch.ENTRY_SHIFT, 64).address();
        for (int i = head; i != tail(); i++) {
            for (int at = 0; at < 1 << Batch.ENTRY_SHIFT; at += Long.BYTES) {
                Batch.setLong(
                        bigger + ((long) (i & capacity - 1) << Batch.ENTRY_SHIFT) + at, Batch.getLong(entry(i) + at));
            }
        }
        entries = bigger;
        mask = capacity - 1;
        Batch.setLong(engine + Batch.ENGINE_RING, entries);
        Batch.setInt(engine + Batch.ENGINE_RING_MASK, mask);
    }

    private long entry(int position) {
        return entries + ((long) (position & mask) << Batch.ENTRY_SHIFT);
    }

    private int tail() {
        return Batch.getInt(engine + Batch.ENGINE_TAIL);
    }

    /** Where the next entry is that is taken. */
    int head() {
        return head;
    }

    boolean isEmpty() {
        return head == tail();
    }

    /**
     * When it is empty, the next entry may be the first: few entries in turns stay in the caches, all in turns do not.
     */
    void restart() {
        if (isEmpty()) {
            head = 0;
            lastTail = 0;
            Batch.setLong(engine + Batch.ENGINE_TAIL, 0); // and no message is in an inbox
        }
    }

    /**
     * Takes the only entry since {@link #restart}, if it has not been delivered yet.
     *
     * @return whether it is taken; what it says of a receive can be read until something is submitted
     */
    boolean takeFirst() {
        if (head != 0) {
            return false;
        }
        entry = entries;
        head = 1;
        lastTail = 1;
        return true;
    }

    /** What arrives after this is of another row. */
    void endRow() {
        Batch.setLong(engine + Batch.ENGINE_ROW, 0);
    }

    /** From now on up to {@code count} entries may be taken. */
    void allow(int count) {
        left = count;
    }

    /** How many more may be taken. */
    int left() {
        return left;
    }

    /** Whether there is an entry that may be taken. */
    boolean hasNext() {
        return left > 0 && (head != lastTail || head != (lastTail = tail()));
    }

    /** Takes the next entry. */
    void take() {
        look();
        head++;
        left--;
    }

    private void look() {
        entry = entry(head);
        what = Batch.getLong(entry + Batch.ENTRY_WHAT);
    }

    /**
     * Takes the next entry if it is known already and of a task of that context. Each read of the memory makes the
     * compiled code large, and the hot path must not be too large for its parts to be joined: so the tail is not read.
     *
     * @return whether there was one; what it says can be read until something is submitted
     */
    public boolean next(int context) {
        if (left > 0 && head != lastTail) {
            look();
            if (context() == context && isTask()) {
                head++;
                left--;
                return true;
            }
        }
        return false;
    }

    /**
     * After the entry of a receive that succeeded, without immediate data: takes the others of its row, as many as may
     * be taken. What the first one says can still be read.
     *
     * @return how many they were
     */
    public int takeRow() {
        int more = more();
        int taken = Math.min(more, left);
        head += taken;
        left -= taken;
        if (taken < more) {
            beginRow(more - taken);
        }
        return taken;
    }

    /** After the entry of a receive that succeeded: those that follow it in its row are one without it. */
    public void leaveRow() {
        if (origin() >>> 32 == 0 && more() > 0) {
            beginRow(more());
        }
    }

    private int more() {
        return (int) Batch.getLong(entry + Batch.ENTRY_IMM);
    }

    /** The next entries, so many, are a row, and say the same as the one that was taken last. */
    private void beginRow(int number) {
        long next = entry(head);
        Batch.setLong(next + Batch.ENTRY_DATA_LEN, dataLength());
        Batch.setLong(next + Batch.ENTRY_ORIGIN, origin());
        Batch.setLong(next + Batch.ENTRY_IMM, number - 1);
    }

    /** The next entry from {@code position} on that is a change of state of that context; -1 if there is none. */
    int findState(int position, int context) {
        for (int i = position; i != tail(); i++) {
            long what = Batch.getLong(entry(i) + Batch.ENTRY_WHAT);
            if ((int) what == Batch.STATE && context(what) == context) {
                return i;
            }
        }
        return -1;
    }

    long at(int position) {
        return entry(position);
    }

    /** Where the entry is that was taken last. */
    long entry() {
        return entry;
    }

    /** Its context's index. */
    int context() {
        return context(what);
    }

    private static int context(long what) {
        return (int) (what >>> Batch.CONTEXT_SHIFT) & 0xffff;
    }

    /** Whether it is a task that ended. */
    boolean isTask() {
        return slot() >= 0;
    }

    /** Whether it is a change of state. */
    boolean isState() {
        return slot() == Batch.STATE;
    }

    /** The slot of the task that ended, of the entry that was taken last. */
    public int slot() {
        return (int) what;
    }

    /** How that task ended, {@code doca_error_t}. */
    public int status() {
        return (int) (what >> Batch.STATUS_SHIFT);
    }

    /** If it was a receive: how long the buffer's data are, bytes. */
    public long dataLength() {
        return dataLength(entry);
    }

    /** The length of the data, or the states, in an entry. */
    static long dataLength(long entry) {
        return Batch.getLong(entry + Batch.ENTRY_DATA_LEN);
    }

    /** Of a message: the user data of its connection. */
    long connection() {
        return dataLength(entry);
    }

    /** Of a message: where it is, until the ring is empty and another one arrives. */
    long message() {
        return Batch.getLong(entry + Batch.ENTRY_IMM);
    }

    /** Of a message: how long it is, bytes. */
    int messageLength() {
        return (int) (origin() >>> 32);
    }

    /** If it was a receive: the producer's id, and in the upper half how much immediate data there is, bytes. */
    public long origin() {
        return Batch.getLong(entry + Batch.ENTRY_ORIGIN);
    }

    /** If it was a receive with immediate data: where they are, until the task is submitted again. */
    public long immediate() {
        return Batch.getLong(entry + Batch.ENTRY_IMM);
    }
}
