package io.github.comch4j.transfer;

import io.github.comch4j.internal.call.ProducerCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where the immediate data of sends stay until DOCA has copied them, which it does at the submit: a place per slot. */
public final class ImmediatePlaces {
    /** The most that a place takes, bytes, where the device does not tell its limit (32 at the time of writing). */
    public static final int LIMIT = 4096;

    private final long size;
    private final MemorySegment places;
    private final long address;

    /**
     * Places for so many slots.
     *
     * @param limit of the device, bytes; 0: not known
     * @throws io.github.comch4j.MissingFunctionException where DOCA has no immediate data
     */
    public ImmediatePlaces(int slots, long limit) {
        ProducerCalls.checkImmediate();
        size = limit == 0 ? LIMIT : Math.min(limit, LIMIT);
        places = Arena.ofAuto().allocate(slots * size);
        address = places.address();
    }

    /** How long immediate data can be, bytes. */
    public long size() {
        return size;
    }

    /** Copies immediate data to the slot's place, whose address it returns. */
    public long put(int slot, MemorySegment immediate) {
        long at = slot * size;
        MemorySegment.copy(immediate, 0, places, at, immediate.byteSize());
        return address + at;
    }
}
