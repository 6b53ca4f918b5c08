package io.github.comch4j.internal.transport;

/**
 * The slots of a producer whose sends have succeeded, where the producer need not know more: numbers in memory that the
 * batch library writes. Belongs to the engine's owner.
 */
public final class FreedSlots {
    private final long context; // struct batch_context
    private final long places;
    private final int mask;
    private int head;
    private int tail; // as far as known

    /** {@code mask + 1} places, as many as the context's queue has, from {@code places} on. */
    FreedSlots(long context, long places, int mask) {
        this.context = context;
        this.places = places;
        this.mask = mask;
        Batch.setLong(context + Batch.CONTEXT_FREED, places);
    }

    /** From here on {@link #next} takes what there is by now. */
    void begin() {
        tail = Batch.getInt(context + Batch.CONTEXT_FREED_TAIL);
        Batch.setInt(context + Batch.CONTEXT_FREED_HEAD, tail); // nothing is written before all are taken
    }

    /** Takes the next one; -1 if there is none. */
    public int next() {
        return head == tail ? -1 : Batch.getInt(places + (long) (head++ & mask) * Integer.BYTES);
    }
}
