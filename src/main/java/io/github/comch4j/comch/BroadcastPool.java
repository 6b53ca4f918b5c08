package io.github.comch4j.comch;

import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Places in a memory map for payloads that go to many peers: see {@link Broadcast}. Any thread may claim, and a place
 * comes back on whichever thread the last send has ended. Claiming and sending allocate nothing once each producer has
 * sent from each place.
 *
 * {@snippet file="Publisher.java" region="publish"}
 *
 * <p>There is nothing to close: the buffers are of the producers, and closed with them or with the map.
 */
public final class BroadcastPool {
    private final MemoryMap memory;
    private final long base; // address
    private final long size;
    private final Broadcast[] all;
    private final ArrayBlockingQueue<Broadcast> free;
    private final Consumer<? super Broadcast> onEnded;

    private BroadcastPool(MemoryMap memory, int count, long size, Consumer<? super Broadcast> onEnded) {
        MemorySegment segment = memory.segment();
        this.memory = memory;
        this.base = segment.address();
        this.size = size;
        this.onEnded = onEnded;
        this.all = new Broadcast[count];
        this.free = new ArrayBlockingQueue<>(count);
        for (int i = 0; i < count; i++) {
            all[i] = new Broadcast(this, segment.asSlice(i * size, size));
            free.add(all[i]);
        }
    }

    /**
     * Divides the beginning of a map into places.
     *
     * @param memory the map, of all devices whose producers send from it
     * @param count how many, at least 1
     * @param size bytes of each, at least 1
     * @return the pool, all free
     * @throws IllegalArgumentException if they do not fit into the map
     * @throws IllegalStateException if the map is closed
     * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
     */
    public static BroadcastPool create(MemoryMap memory, int count, long size) {
        return create(memory, count, size, ended -> {});
    }

    /**
     * As {@link #create(MemoryMap, int, long)}, and tells the end of each broadcast.
     *
     * @param memory the map, of all devices whose producers send from it
     * @param count how many, at least 1
     * @param size bytes of each, at least 1
     * @param onEnded called when all sends of a broadcast have ended and it has no holder any more, before its place
     *     is free: inside {@code progress()} of the engine of the last send, or in the last {@link Broadcast#release()}
     * @return the pool, all free
     * @throws IllegalArgumentException if they do not fit into the map
     * @throws IllegalStateException if the map is closed
     * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
     */
    public static BroadcastPool create(MemoryMap memory, int count, long size, Consumer<? super Broadcast> onEnded) {
        if (count < 1 || size < 1 || count > memory.size() / size) {
            throw new IllegalArgumentException(count + " places of " + size + " bytes do not fit into " + memory);
        }
        return new BroadcastPool(memory, count, size, Objects.requireNonNull(onEnded));
    }

    /**
     * Takes a place, with the caller as its one holder.
     *
     * @return the broadcast, without data; null if none is free
     */
    public @Nullable Broadcast tryClaim() {
        Broadcast claimed = free.poll();
        if (claimed != null) {
            claimed.begin();
        }
        return claimed;
    }

    /** All is over with it. */
    void ended(Broadcast broadcast) {
        try {
            onEnded.accept(broadcast);
        } finally {
            free.add(broadcast);
        }
    }

    /**
     * The broadcast that a buffer is of, for completion handlers.
     *
     * @param buffer a buffer that was sent
     * @return the broadcast; null if the buffer is not on a place of this pool
     */
    public @Nullable Broadcast of(Buffer buffer) {
        boolean known = buffer.memory() == memory
                && buffer.capacity() == size
                && buffer.offset() % size == 0
                && buffer.offset() / size < all.length;
        return known ? all[(int) (buffer.offset() / size)] : null;
    }

    /**
     * How many places it has.
     *
     * @return the number it was made with
     */
    public int capacity() {
        return all.length;
    }

    /**
     * How many places can be claimed.
     *
     * @return a snapshot
     */
    public int available() {
        return free.size();
    }

    /**
     * How long a payload can be.
     *
     * @return bytes
     */
    public long size() {
        return size;
    }

    /**
     * What the places are on.
     *
     * @return the map
     */
    public MemoryMap memory() {
        return memory;
    }

    long offsetOf(MemorySegment place) {
        return place.address() - base;
    }

    /**
     * For logs.
     *
     * @return its size
     */
    @Override
    public String toString() {
        return "pool of " + all.length + " broadcasts of " + size + " bytes";
    }
}
