package io.github.comch4j.internal.transport;

/**
 * The slots of a producer whose sends have succeeded, where the producer need not know more: rows of slots in memory
 * that the batch library writes. Belongs to the engine's owner.
 */
public final class FreedSlots {
    private final long context; // struct batch_context
    private final long places;
    private final int mask;
    private int head; // from here to the tail they have been taken
    private int tail;
    private int first; // of the row that next() has found
    private int count;

    /** {@code mask + 1} places, as many as the context's queue has, from {@code places} on. */
    FreedSlots(long context, long places, int mask) {
        this.context = context;
        this.places = places;
        this.mask = mask;
        Batch.setLong(context + Batch.CONTEXT_FREED, places);
    }

    /** Takes those that there are by now. */
    void takeAll() {
        head = tail;
        tail = Batch.getInt(context + Batch.CONTEXT_FREED_TAIL);
        Batch.setInt(context + Batch.CONTEXT_FREED_HEAD, tail); // nothing is written before they are looked at
    }

    /** Whether there is another row of those that have been taken. */
    public boolean next() {
        if (head == tail) {
            return false;
        }
        long row = Batch.getLong(places + (long) (head & mask) * Long.BYTES);
        first = (int) row;
        count = (int) (row >>> Batch.ROW_SHIFT);
        head += count;
        return true;
    }

    /** The first slot of the row. */
    public int first() {
        return first;
    }

    /** How many slots the row has. */
    public int count() {
        return count;
    }
}
