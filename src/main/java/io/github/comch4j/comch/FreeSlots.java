package io.github.comch4j.comch;

/**
 * Which slots of a producer are free, a bit for each, and which is next: the lowest, so that a few slots are used again
 * and again and lie side by side, or each in its turn.
 */
final class FreeSlots {
    private final int slots;
    private final boolean inTurn;
    private final long[] words;
    private int from; // the search for the next one begins here; unless inTurn, none below is free

    /** All are free. */
    FreeSlots(int slots, boolean inTurn) {
        this.slots = slots;
        this.inTurn = inTurn;
        words = new long[(slots + Long.SIZE - 1) / Long.SIZE];
        for (int slot = 0; slot < slots; slot++) {
            put(slot);
        }
    }

    /** The next one, of which there must be one. It stays free. */
    int next() {
        return isFree(from) ? from : search();
    }

    private int search() {
        int at = from / Long.SIZE;
        long word = words[at] & -1L << from;
        while (word == 0) {
            at = at + 1 == words.length ? 0 : at + 1;
            word = words[at];
        }
        from = at * Long.SIZE + Long.numberOfTrailingZeros(word);
        return from;
    }

    boolean isFree(int slot) {
        return (words[slot / Long.SIZE] >>> slot & 1) != 0;
    }

    /** How many lie side by side from this free one on, {@code most} at most. */
    int row(int first, int most) {
        int end = first;
        int limit = first + Math.min(most, slots - first);
        int free;
        do {
            free = Long.numberOfTrailingZeros(~(words[end / Long.SIZE] >>> end));
            end += free;
        } while (end < limit && end % Long.SIZE == 0 && free > 0);
        return Math.min(end, limit) - first;
    }

    /** Takes so many from what was the next one on. */
    void take(int first, int number) {
        int end = first + number;
        if (from == first) { // otherwise a lower one has become free since
            from = end == slots ? 0 : end;
        }
        for (int slot = first; slot < end; ) {
            int ofWord = Math.min(end - slot, Long.SIZE - slot % Long.SIZE);
            words[slot / Long.SIZE] &= ~((-1L >>> (Long.SIZE - ofWord)) << slot);
            slot += ofWord;
        }
    }

    /** This one is free again. */
    void put(int slot) {
        words[slot / Long.SIZE] |= 1L << slot;
        if (!inTurn && slot < from) {
            from = slot;
        }
    }
}
