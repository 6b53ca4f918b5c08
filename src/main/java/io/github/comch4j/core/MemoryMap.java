package io.github.comch4j.core;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory that a device may read and write ({@code doca_mmap}); what buffers are windows on.
 *
 * <p>The memory either belongs to the map ({@link #allocate}) and is freed when the map is closed, or is given to it ({@link #wrap}) and must live until then: the
 * map keeps the segment reachable, but cannot keep somebody from closing its arena. Buffers notice a closed arena when they are used; memory that is
 * unmapped while a device or the peer still writes to it is the one mistake that this library cannot turn into an exception.
 *
 * <p>May be used from any thread. Segments that were taken from an allocated map throw {@link IllegalStateException} once the map is closed.
 */
public final class MemoryMap implements AutoCloseable {
    /** The start of allocated memory: a page, so that devices need no bounce buffers. */
    private static final long ALIGNMENT = 4096;

    private final MemorySegment memory;
    private final Node node;

    private MemoryMap(Device device, MemorySegment memory, Arena arena, Access... access) {
        this.memory = memory;
        this.node = new Node(device, memory, arena, access);
    }

    /**
     * Allocates zeroed memory and maps it ({@code doca_mmap_create}, {@code _set_memrange}, {@code _set_permissions}, {@code _add_dev}, {@code _start}).
     *
     * @param device the device that may use it
     * @param bytes its size, at least 1
     * @param access what devices may do with it
     * @return the map
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     * @throws OutOfMemoryError if there is not enough memory
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws IllegalStateException if the device is closed
     */
    public static MemoryMap allocate(Device device, long bytes, Access... access) {
        if (bytes < 1) {
            throw new IllegalArgumentException("cannot map " + bytes + " bytes");
        }
        device.handle();
        Arena arena = Arena.ofShared(); // closed once, with the map
        try {
            return new MemoryMap(device, arena.allocate(bytes, ALIGNMENT), arena, access);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Maps memory that the caller has, for example a file mapped by {@link java.nio.channels.FileChannel} or an {@link Arena}'s; functions as
     * {@link #allocate}.
     *
     * @param device the device that may use it
     * @param memory a native segment of at least one byte; a read-only one may be sent from and not received into, one that is confined to a thread
     *        is of use to engines of that thread only
     * @param access what devices may do with it
     * @return the map; closing it leaves the memory alone
     * @throws IllegalArgumentException if the segment is on the heap or empty
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws IllegalStateException if the device or the segment's arena is closed
     */
    public static MemoryMap wrap(Device device, MemorySegment memory, Access... access) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("a device cannot use memory on the Java heap: " + memory);
        }
        if (memory.byteSize() < 1) {
            throw new IllegalArgumentException("cannot map an empty segment");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory's arena is closed");
        }
        device.handle();
        return new MemoryMap(device, memory, null, access);
    }

    /**
     * The memory.
     *
     * @return all of it
     * @throws IllegalStateException if the map or the memory's arena is closed
     */
    public MemorySegment segment() {
        checkAlive();
        return memory;
    }

    /**
     * The size.
     *
     * @return bytes
     */
    public long size() {
        return memory.byteSize();
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
     * Closes the consumers that receive into this memory and the buffers on it, waiting for sends in flight, then the map ({@code doca_mmap_destroy}), and frees
     * memory that it allocated. The second call does nothing.
     *
     * @throws WrongThreadException if a consumer on it, or a task in flight with it, belongs to another thread
     * @throws IllegalStateException inside a callback of such a consumer
     * @throws io.github.comch4j.DocaException if something does not end in time; the map is still open then
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

    MemorySegment handle() {
        node.checkOpen();
        return node.handle;
    }

    /** Fails if memory that is not the map's own was freed under it. */
    void checkAlive() {
        node.checkOpen();
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory under " + node.name() + " is gone: its arena is closed");
        }
    }

    /** Held while buffers are taken and given back: DOCA counts them without a lock of its own. */
    Object lock() {
        return node;
    }

    private static final class Node extends Resource {
        private final MemorySegment handle;
        private final Arena arena; // null: the memory is not ours

        Node(Device device, MemorySegment memory, Arena arena, Access... access) {
            super(Rank.BASE, "the memory map of " + memory.byteSize() + " bytes", device.resource());
            this.arena = arena;
            int permissions = 0;
            for (Access flag : Objects.requireNonNull(access)) {
                permissions |= flag.flag();
            }
            int mask = permissions;
            String action = "mapping " + memory.byteSize() + " bytes";
            handle = Calls.pointer("doca_mmap_create", action, doca_h::doca_mmap_create);
            try {
                Calls.check("doca_mmap_set_memrange", action, () -> doca_h.doca_mmap_set_memrange(handle, memory, memory.byteSize()));
                Calls.check("doca_mmap_set_permissions", action, () -> doca_h.doca_mmap_set_permissions(handle, mask));
                Calls.check("doca_mmap_add_dev", action, () -> doca_h.doca_mmap_add_dev(handle, device.handle()));
                Calls.check("doca_mmap_start", action, () -> doca_h.doca_mmap_start(handle));
                attach();
            } catch (RuntimeException | Error e) {
                doca_h.doca_mmap_destroy(handle);
                throw e;
            }
        }

        @Override
        protected void release(Teardown teardown) {
            synchronized (this) {
                Calls.check("doca_mmap_destroy", "closing " + name(), () -> doca_h.doca_mmap_destroy(handle));
            }
            if (arena != null) {
                try {
                    arena.close();
                } catch (IllegalStateException e) {
                    teardown.add(e); // another thread is in a native call with the memory; the map is gone all the same
                }
            }
        }
    }
}
