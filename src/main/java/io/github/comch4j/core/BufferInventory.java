package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.InventoryCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Leaks;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of buffer descriptors ({@code doca_buf_inventory}), without memory of their own. Any thread may use
 * it.
 *
 * <p>Each producer and each consumer has its own inventory. Create a separate one for buffers that outlive them or move
 * between them.
 */
public final class BufferInventory implements AutoCloseable {
    static {
        Internals.open(BufferInventory.class, inventory -> (Runnable) inventory.resource::end);
    }

    private final InventoryResource resource;

    private BufferInventory(InventoryResource resource) {
        this.resource = resource;
    }

    /**
     * Creates and starts an inventory ({@code doca_buf_inventory_create}, {@code _start}).
     *
     * @param buffers how many buffers can be acquired at a time, at least 1
     * @return the inventory
     * @throws IllegalArgumentException if {@code buffers} is less than 1
     * @throws DocaException if DOCA refuses
     */
    public static BufferInventory create(int buffers) {
        if (buffers < 1) {
            throw new IllegalArgumentException("an inventory needs at least 1 buffer, not " + buffers);
        }
        NativeLibrary.load();
        BufferInventory created = new BufferInventory(new InventoryResource(buffers));
        Leaks.watch(created, created.resource);
        return created;
    }

    /** As {@link #create}, for buffers on one map: closed with it. */
    static BufferInventory createOn(MemoryMap memory, int buffers) {
        return new BufferInventory(new InventoryResource(buffers, memory.resource()));
    }

    /**
     * Takes a buffer whose data are the whole window, for sending ({@code doca_buf_inventory_buf_get_by_args}).
     *
     * @param memory the map
     * @param offset where the window begins in the map, in bytes
     * @param length the length of the window, in bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if no buffer is free
     */
    public Buffer acquire(MemoryMap memory, long offset, long length) {
        return taken(take(memory, offset, length, length));
    }

    /**
     * Takes a buffer as {@link #acquire(MemoryMap, long, long)} does, for a window given as a segment.
     *
     * @param memory the map
     * @param window a part of the map's memory: of {@link MemoryMap#segment()}, or of the wrapped segment
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not entirely memory of the map
     * @throws IllegalStateException also if the segment's arena is closed
     * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
     */
    public Buffer acquire(MemoryMap memory, MemorySegment window) {
        return acquire(memory, memory.offsetOf(window), window.byteSize());
    }

    /**
     * Takes a buffer without data, for receiving ({@code doca_buf_inventory_buf_get_by_args}).
     *
     * @param memory the map
     * @param offset where the window begins in the map, in bytes
     * @param length the length of the window, in bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if no buffer is free
     */
    public Buffer acquireEmpty(MemoryMap memory, long offset, long length) {
        return taken(take(memory, offset, length, 0));
    }

    /**
     * Takes a buffer as {@link #acquireEmpty(MemoryMap, long, long)} does, for a window given as a segment.
     *
     * @param memory the map
     * @param window a part of the map's memory: of {@link MemoryMap#segment()}, or of the wrapped segment
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not entirely memory of the map
     * @throws IllegalStateException also if the segment's arena is closed
     * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
     */
    public Buffer acquireEmpty(MemoryMap memory, MemorySegment window) {
        return acquireEmpty(memory, memory.offsetOf(window), window.byteSize());
    }

    /**
     * Takes a buffer as {@link #acquire(MemoryMap, long, long)} does, but returns null if none is free.
     *
     * @param memory the map
     * @param offset where the window begins in the map, in bytes
     * @param length the length of the window, in bytes, at least 1
     * @return the buffer; null if no buffer is free
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses
     */
    public @Nullable Buffer tryAcquire(MemoryMap memory, long offset, long length) {
        return take(memory, offset, length, length);
    }

    private Buffer taken(@Nullable Buffer buffer) {
        if (buffer == null) {
            throw Failures.refused(
                    DocaError.NO_MEMORY, InventoryCalls.TAKE_NAME, "taking a buffer from " + resource.name());
        }
        return buffer;
    }

    static MemorySegment window(MemoryMap memory, long offset, long length) {
        if (length < 1) {
            throw new IndexOutOfBoundsException("a window needs at least 1 byte, not " + length);
        }
        Objects.checkFromIndexSize(offset, length, memory.size());
        memory.checkAlive();
        return memory.range().asSlice(offset, length);
    }

    private @Nullable Buffer take(MemoryMap memory, long offset, long length, long dataLength) {
        resource.checkOpen();
        MemorySegment window = window(memory, offset, length);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            synchronized (resource) {
                synchronized (memory.lock()) {
                    // what closes either of them on another thread meets this buffer as a dependent, or there is none
                    resource.checkOpen();
                    MemorySegment map = memory.handle();
                    int code = InventoryCalls.take(resource.handle, map, window, dataLength, out);
                    if (code == DocaError.NO_MEMORY.code()) {
                        return null;
                    }
                    if (code != Calls.SUCCESS) {
                        throw Failures.refused(
                                code,
                                InventoryCalls.TAKE_NAME,
                                "taking a buffer of " + length + " bytes at " + offset + " on " + memory);
                    }
                    return new Buffer(resource, memory, offset, window, out.get(ValueLayout.ADDRESS, 0), dataLength);
                }
            }
        }
    }

    /**
     * Moves a buffer of this inventory to another window of its map, without returning it to the inventory
     * ({@code doca_buf_inventory_buf_reuse_by_data}, since DOCA 3.2). As with a newly acquired buffer, its data are
     * then the whole window; {@link Buffer#clear} turns them into room.
     *
     * <p>Only one thread at a time may call it: the thread that uses the buffer.
     *
     * @param buffer the buffer
     * @param offset where the window begins in the map, in bytes
     * @param length the length of the window, in bytes, at least 1
     * @return the buffer
     * @throws IllegalArgumentException if the buffer was not acquired from this inventory
     * @throws IndexOutOfBoundsException if the window is not within the map; the buffer is then unchanged
     * @throws IllegalStateException if the buffer is in flight, or if the buffer, the inventory or the map is closed
     * @throws io.github.comch4j.MissingFunctionException if the DOCA release in use lacks the function
     * @throws DocaException if DOCA refuses
     */
    public Buffer move(Buffer buffer, long offset, long length) {
        resource.checkOpen();
        buffer.moveWithin(resource, offset, length);
        return buffer;
    }

    /**
     * Adds descriptors ({@code doca_buf_inventory_expand}, since DOCA 3.0).
     *
     * @param buffers how many more buffers can be acquired at a time, at least 1
     * @return this
     * @throws IllegalArgumentException if {@code buffers} is less than 1
     * @throws IllegalStateException if the inventory is closed
     * @throws io.github.comch4j.MissingFunctionException if the DOCA release in use lacks the function
     * @throws DocaException if DOCA refuses
     */
    public BufferInventory expand(int buffers) {
        if (buffers < 1) {
            throw new IllegalArgumentException("an inventory grows by at least 1 buffer, not " + buffers);
        }
        resource.checkOpen();
        synchronized (resource) {
            InventoryCalls.expand(resource.handle, buffers, "adding " + buffers + " buffers to " + resource.name());
        }
        return this;
    }

    /**
     * Returns the total number of buffers ({@code doca_buf_inventory_get_num_elements}).
     *
     * @return the initial number, plus those that {@link #expand} added
     */
    public int capacity() {
        resource.checkOpen();
        synchronized (resource) {
            return InventoryCalls.capacity(resource.handle);
        }
    }

    /**
     * Returns the number of free buffers ({@code doca_buf_inventory_get_num_free_elements}).
     *
     * @return a snapshot
     */
    public int available() {
        resource.checkOpen();
        synchronized (resource) {
            return InventoryCalls.available(resource.handle);
        }
    }

    /**
     * Returns whether the inventory is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the inventory ({@code doca_buf_inventory_destroy}). First closes the buffers that are not yet returned,
     * and waits for those in flight; it also closes a consumer to which such buffers are posted. A second call does
     * nothing.
     *
     * @throws WrongThreadException if a task in flight with one of its buffers belongs to another thread that is not an
     *     {@link EventLoop}'s
     * @throws DocaException if an operation does not end in time; the inventory is then still open
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return what it is and its size
     */
    @Override
    public String toString() {
        return resource.name();
    }

    private static final class InventoryResource extends Resource {
        private final MemorySegment handle;
        private volatile boolean ends; // with the last buffer

        InventoryResource(int buffers, Resource... owners) {
            super(Rank.BASE, "the inventory of " + buffers + " buffers", owners);
            String action = "creating an inventory of " + buffers + " buffers";
            handle = InventoryCalls.create(buffers, action);
            try {
                InventoryCalls.start(handle, action);
                attach();
            } catch (RuntimeException | Error e) {
                InventoryCalls.discard(handle);
                throw e;
            }
        }

        /** What it was made for has ended: closes all but the buffers that the program has kept. */
        void end() {
            ends = true;
            for (Resource buffer : dependentsInOrder()) {
                if (!Buffer.isKept(buffer)) {
                    buffer.close();
                }
            }
            lastDependentGone(); // if there was none
        }

        @Override
        protected void lastDependentGone() {
            if (ends && !isClosed() && !hasDependents()) {
                close();
            }
        }

        @Override
        protected void release(Teardown teardown) {
            synchronized (this) {
                InventoryCalls.destroy(handle, "closing " + name());
            }
        }
    }
}
