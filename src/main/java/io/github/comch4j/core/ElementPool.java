package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.PoolCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Buffers of one size, which DOCA lays out side by side in one memory map ({@code doca_buf_pool}). Against a
 * {@link BufferInventory}, a buffer costs no choice of memory when it is taken. May be used from any thread.
 *
 * <p>Each buffer that is taken is a new object, and goes back when it is closed. Where no object is to be made per
 * message, a {@link BufferPool} lends the same ones again and again. Closed with its map, if not before.
 */
public final class ElementPool implements AutoCloseable {
    private final MemoryMap memory;
    private final long elementSize;
    private final PoolResource resource;

    private ElementPool(MemoryMap memory, int count, long elementSize, long alignment) {
        this.memory = memory;
        this.elementSize = elementSize;
        this.resource = new PoolResource(memory, count, elementSize, alignment);
    }

    /**
     * Lays buffers out from the beginning of a map on ({@code doca_buf_pool_create}, {@code _start}). The map remains
     * the caller's, and should have no other buffers there.
     *
     * @param memory the map
     * @param count how many, at least 1
     * @param elementSize bytes of each, at least 1
     * @return the pool, none taken
     * @throws IllegalArgumentException if they do not fit into the map
     * @throws IllegalStateException if the map is closed
     * @throws DocaException if DOCA refuses
     */
    public static ElementPool create(MemoryMap memory, int count, long elementSize) {
        return create(memory, count, elementSize, 1);
    }

    /**
     * As {@link #create(MemoryMap, int, long)}, each buffer at a multiple of {@code alignment}
     * ({@code doca_buf_pool_set_element_alignment}).
     *
     * @param memory the map
     * @param count how many, at least 1
     * @param elementSize bytes of each, at least 1
     * @param alignment what the address of each is a multiple of, bytes; a power of two
     * @return the pool, none taken
     * @throws IllegalArgumentException if they do not fit into the map, or {@code alignment} is not a power of two
     * @throws IllegalStateException if the map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#INITIALIZATION} if they do not fit because of the
     *     alignment
     */
    public static ElementPool create(MemoryMap memory, int count, long elementSize, long alignment) {
        if (count < 1 || elementSize < 1 || count > memory.size() / elementSize) {
            throw new IllegalArgumentException(
                    count + " buffers of " + elementSize + " bytes do not fit into " + memory);
        }
        if (alignment < 1 || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("alignment " + alignment + " is not a power of two");
        }
        memory.checkAlive();
        return new ElementPool(memory, count, elementSize, alignment);
    }

    /**
     * Takes a buffer without data ({@code doca_buf_pool_buf_alloc}).
     *
     * @return the buffer
     * @throws IllegalStateException if the pool or its map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#EMPTY} when all buffers are out
     */
    public Buffer acquireEmpty() {
        return tryAcquireEmpty()
                .orElseThrow(() -> Failures.refused(
                        DocaError.EMPTY, PoolCalls.TAKE_NAME, "taking a buffer from " + resource.name()));
    }

    /**
     * As {@link #acquireEmpty}, for programs that expect to run out.
     *
     * @return the buffer; empty when all are out
     * @throws IllegalStateException if the pool or its map is closed
     * @throws DocaException if DOCA refuses
     */
    public Optional<Buffer> tryAcquireEmpty() {
        resource.checkOpen();
        memory.checkAlive();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            synchronized (resource) {
                synchronized (memory.lock()) {
                    // what closes either of them on another thread meets this buffer as a dependent, or there is none
                    resource.checkOpen();
                    int code = PoolCalls.take(resource.pool, out);
                    if (code == DocaError.EMPTY.code()) {
                        return Optional.empty();
                    }
                    if (code != Calls.SUCCESS) {
                        throw Failures.refused(code, PoolCalls.TAKE_NAME, "taking a buffer from " + resource.name());
                    }
                    MemorySegment taken = out.get(ValueLayout.ADDRESS, 0);
                    long offset = BufferCalls.head(taken) - memory.range().address();
                    MemorySegment window = memory.range().asSlice(offset, elementSize);
                    return Optional.of(new Buffer(resource, memory, offset, window, taken, 0));
                }
            }
        }
    }

    /**
     * How many buffers it has in all ({@code doca_buf_pool_get_num_elements}).
     *
     * @return the number it was made with
     * @throws IllegalStateException if it is closed
     */
    public int capacity() {
        resource.checkOpen();
        synchronized (resource) {
            return PoolCalls.capacity(resource.pool);
        }
    }

    /**
     * How many buffers can still be taken ({@code doca_buf_pool_get_num_free_elements}).
     *
     * @return a snapshot
     * @throws IllegalStateException if it is closed
     */
    public int available() {
        resource.checkOpen();
        synchronized (resource) {
            return PoolCalls.available(resource.pool);
        }
    }

    /**
     * What the address of each buffer is a multiple of ({@code doca_buf_pool_get_element_alignment}).
     *
     * @return bytes
     * @throws IllegalStateException if it is closed
     */
    public long alignment() {
        resource.checkOpen();
        synchronized (resource) {
            return PoolCalls.alignment(resource.pool);
        }
    }

    /**
     * The size of each buffer.
     *
     * @return bytes
     */
    public long elementSize() {
        return elementSize;
    }

    /**
     * What the buffers are on.
     *
     * @return the map
     */
    public MemoryMap memory() {
        return memory;
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the buffers that are still out, waiting for those in flight (a consumer that they are posted to is
     * closed), then the pool ({@code doca_buf_pool_stop}, {@code _destroy}). The second call does nothing.
     *
     * @throws WrongThreadException if a task in flight with one of its buffers belongs to another thread that is no
     *     {@link EventLoop}'s
     * @throws DocaException if something does not end in time; the pool is still open then
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * For logs.
     *
     * @return what it is and its size
     */
    @Override
    public String toString() {
        return resource.name();
    }

    private static final class PoolResource extends Resource {
        private final MemorySegment pool;

        PoolResource(MemoryMap memory, int count, long size, long alignment) {
            super(Rank.BASE, "the pool of " + count + " buffers of " + size + " bytes", memory.resource());
            String action = "making a pool of " + count + " buffers of " + size + " bytes on " + memory;
            synchronized (memory.lock()) {
                pool = PoolCalls.create(count, size, memory.handle(), action);
            }
            try {
                if (alignment > 1) {
                    PoolCalls.setAlignment(pool, alignment, action + " at multiples of " + alignment);
                }
                PoolCalls.start(pool, action);
                attach();
            } catch (RuntimeException | Error e) {
                PoolCalls.discard(pool);
                throw e;
            }
        }

        @Override
        protected void release(Teardown teardown) {
            synchronized (this) {
                PoolCalls.stop(pool, "closing " + name());
                PoolCalls.destroy(pool, "closing " + name());
            }
        }
    }
}
