package io.github.comch4j.comch;

/**
 * Which slots of a producer are free, a bit for each, and which is next: the lowest, so that a few slots are used again
 * and again and lie side by side, or each in its turn.
 */
final class FreeSlots {
    private final int slots;
    private final boolean roundRobin;
    private final long[] words;
    private int from; // the search for the next one begins here; unless roundRobin, none below is free

    /** All are free. */
    FreeSlots(int slots, boolean roundRobin) {
        this.slots = slots;
        this.roundRobin = roundRobin;
        words = new long[(slots + Long.SIZE - 1) / Long.SIZE];
        put(0, slots);
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
            int ofWord = ofWord(slot, end);
            words[slot / Long.SIZE] &= ~bits(slot, ofWord);
            slot += ofWord;
        }
    }

    /** So many are free again, from {@code first} on. */
    void put(int first, int number) {
        int end = first + number;
        for (int slot = first; slot < end; ) {
            int ofWord = ofWord(slot, end);
            words[slot / Long.SIZE] |= bits(slot, ofWord);
            slot += ofWord;
        }
        if (!roundRobin && first < from) {
            from = first;
        }
    }

    /** How many of the slots up to {@code end} are in the same word as this one. */
    private static int ofWord(int slot, int end) {
        return Math.min(end - slot, Long.SIZE - slot % Long.SIZE);
    }

    private static long bits(int slot, int number) {
        return (-1L >>> (Long.SIZE - number)) << slot;
    }
}
