package io.github.comch4j.internal.transport;

/**
 * The slots of a producer whose sends have succeeded, where the producer need not know more: numbers in memory that the
 * batch library writes. Belongs to the engine's owner.
 */
public final class FreedSlots {
    private final long context; // struct batch_context
    private final long places;
    private final int mask;
    private int head; // from here to the tail they have been taken
    private int tail;

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

    /** How many have been taken. */
    public int number() {
        return tail - head;
    }

    /** One of those that have been taken. */
    public int at(int i) {
        return Batch.getInt(places + (long) (head + i & mask) * Integer.BYTES);
    }
}
