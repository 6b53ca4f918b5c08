package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.Leaks;
import io.github.comch4j.internal.NativeLibrary;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/**
 * A fixed number of buffer descriptors ({@code doca_buf_inventory}), without memory of their own. May be used from any thread.
 *
 * <p>Producers and consumers have an inventory each; a separate one is for buffers that outlive them or move between them.
 */
public final class BufferInventory implements AutoCloseable {
    private final Node node;

    private BufferInventory(Node node) {
        this.node = node;
    }

    /**
     * Creates and starts an inventory ({@code doca_buf_inventory_create}, {@code _start}).
     *
     * @param buffers how many buffers can be out at a time, at least 1
     * @return the inventory
     * @throws IllegalArgumentException if {@code buffers} is less than 1
     * @throws DocaException if DOCA refuses
     */
    public static BufferInventory create(int buffers) {
        if (buffers < 1) {
            throw new IllegalArgumentException("an inventory of " + buffers + " buffers");
        }
        NativeLibrary.load();
        BufferInventory created = new BufferInventory(new Node(buffers));
        Leaks.watch(created, created.node);
        return created;
    }

    /** As {@link #create}, for buffers on one map: closed with it. */
    static BufferInventory createOn(MemoryMap memory, int buffers) {
        return new BufferInventory(new Node(buffers, memory.resource()));
    }

    /**
     * Takes a buffer whose data are the whole window: for sending ({@code doca_buf_inventory_buf_get_by_args}).
     *
     * @param memory the map
     * @param offset where the window begins in it, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out
     */
    public Buffer acquire(MemoryMap memory, long offset, long length) {
        return take(memory, offset, length, length)
                .orElseThrow(() -> new DocaException(DocaError.NO_MEMORY, Node.GET, "taking a buffer from " + node.name()));
    }

    /**
     * Takes a buffer without data: for receiving ({@code doca_buf_inventory_buf_get_by_args}).
     *
     * @param memory the map
     * @param offset where the window begins in it, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out
     */
    public Buffer acquireEmpty(MemoryMap memory, long offset, long length) {
        return take(memory, offset, length, 0)
                .orElseThrow(() -> new DocaException(DocaError.NO_MEMORY, Node.GET, "taking a buffer from " + node.name()));
    }

    /**
     * As {@link #acquire}, for programs that expect to run out.
     *
     * @param memory the map
     * @param offset where the window begins in it, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer; empty when all buffers are out
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the inventory or map is closed
     * @throws DocaException if DOCA refuses
     */
    public Optional<Buffer> tryAcquire(MemoryMap memory, long offset, long length) {
        return take(memory, offset, length, length);
    }

    private Optional<Buffer> take(MemoryMap memory, long offset, long length, long dataLength) {
        node.checkOpen();
        if (length < 1) {
            throw new IndexOutOfBoundsException("a window of " + length + " bytes");
        }
        Objects.checkFromIndexSize(offset, length, memory.size());
        memory.checkAlive();
        MemorySegment window = memory.range().asSlice(offset, length);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            synchronized (node) {
                synchronized (memory.lock()) {
                    // what closes either of them on another thread meets this buffer as a dependent, or there is none
                    node.checkOpen();
                    MemorySegment map = memory.handle();
                    int code = Calls.code(Node.GET, () -> doca_h.doca_buf_inventory_buf_get_by_args(node.handle, map, window, length, window, dataLength, out));
                    if (code == DocaError.NO_MEMORY.code()) {
                        return Optional.empty();
                    }
                    if (code != Calls.SUCCESS) {
                        throw new DocaException(code, Node.GET, "taking a buffer of " + length + " bytes at " + offset + " on " + memory);
                    }
                    return Optional.of(new Buffer(this, memory, offset, window, out.get(ValueLayout.ADDRESS, 0), dataLength));
                }
            }
        }
    }

    /**
     * Adds descriptors ({@code doca_buf_inventory_expand}, since DOCA 3.0).
     *
     * @param buffers how many more buffers can be out at a time, at least 1
     * @return this
     * @throws IllegalArgumentException if {@code buffers} is less than 1
     * @throws IllegalStateException if it is closed
     * @throws io.github.comch4j.MissingFunctionException if the DOCA release in use cannot
     * @throws DocaException if DOCA refuses
     */
    public BufferInventory expand(int buffers) {
        if (buffers < 1) {
            throw new IllegalArgumentException("expanding an inventory by " + buffers + " buffers");
        }
        node.checkOpen();
        synchronized (node) {
            Calls.check("doca_buf_inventory_expand", "adding " + buffers + " buffers to " + node.name(),
                    () -> doca_h.doca_buf_inventory_expand(node.handle, buffers));
        }
        return this;
    }

    /**
     * How many buffers it has in all ({@code doca_buf_inventory_get_num_elements}).
     *
     * @return the number it was made with, and those that {@link #expand} added
     */
    public int capacity() {
        node.checkOpen();
        synchronized (node) {
            return (int) Calls.uint32("doca_buf_inventory_get_num_elements", "counting buffers",
                    out -> doca_h.doca_buf_inventory_get_num_elements(node.handle, out));
        }
    }

    /**
     * How many buffers can still be taken ({@code doca_buf_inventory_get_num_free_elements}).
     *
     * @return a snapshot
     */
    public int available() {
        node.checkOpen();
        synchronized (node) {
            return (int) Calls.uint32("doca_buf_inventory_get_num_free_elements", "counting free buffers",
                    out -> doca_h.doca_buf_inventory_get_num_free_elements(node.handle, out));
        }
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return node.isClosed();
    }

    /**
     * Closes the buffers that are still out, waiting for those in flight (a consumer that they are posted to is closed), then the inventory
     * ({@code doca_buf_inventory_destroy}). The second call does nothing.
     *
     * @throws WrongThreadException if a task in flight with one of its buffers belongs to another thread that is no {@link EventLoop}'s
     * @throws IllegalStateException inside a callback that would have to end first
     * @throws DocaException if something does not end in time; the inventory is still open then
     */
    @Override
    public void close() {
        node.close();
    }

    /**
     * For logs.
     *
     * @return what it is and its size
     */
    @Override
    public String toString() {
        return node.name();
    }

    Resource resource() {
        return node;
    }

    /** Held while buffers are taken and given back. */
    Object lock() {
        return node;
    }

    private static final class Node extends Resource {
        static final String GET = "doca_buf_inventory_buf_get_by_args";

        private final MemorySegment handle;

        Node(int buffers, Resource... owners) {
            super(Rank.BASE, "the inventory of " + buffers + " buffers", owners);
            String action = "making an inventory of " + buffers + " buffers";
            handle = Calls.pointer("doca_buf_inventory_create", action, out -> doca_h.doca_buf_inventory_create(buffers, out));
            try {
                Calls.check("doca_buf_inventory_start", action, () -> doca_h.doca_buf_inventory_start(handle));
                attach();
            } catch (RuntimeException | Error e) {
                doca_h.doca_buf_inventory_destroy(handle);
                throw e;
            }
        }

        @Override
        protected void release(Teardown teardown) {
            synchronized (this) {
                Calls.check("doca_buf_inventory_destroy", "closing " + name(), () -> doca_h.doca_buf_inventory_destroy(handle));
            }
        }
    }
}
