package io.github.comch4j.core;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.Pages;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Set;

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
    private final MemorySegment memory;
    private final List<Device> devices;
    private final boolean remote;
    private final Set<Access> access; // empty: not known
    private final Node node;

    private MemoryMap(Builder settings, MemorySegment memory, Arena arena, Range range) {
        this.memory = memory;
        this.devices = settings.devices;
        this.remote = false;
        this.access = Access.of(settings.permissions);
        this.node = new Node(settings, memory, arena, range);
    }

    private MemoryMap(Device device, MemorySegment handle) {
        this.memory = range(handle);
        this.devices = List.of(device);
        this.remote = true;
        this.access = Set.of();
        this.node = new Node(device, memory, handle);
    }

    /** Tells DOCA which memory. */
    private interface Range {
        int set(MemorySegment map);
    }

    /**
     * Begins the settings of a map for several devices.
     *
     * @param devices the devices that may use it, at least one
     * @return the settings
     * @throws IllegalArgumentException if there is no device
     */
    public static Builder builder(Device... devices) {
        return new Builder(List.of(devices));
    }

    /**
     * Allocates zeroed memory and maps it ({@code doca_mmap_create}, {@code _set_memrange}, {@code _set_permissions}, {@code _add_dev}, {@code _start}).
     * It begins at a page; from 2 MiB on the kernel is asked for large pages ({@code madvise}), with which large messages are about twice as fast on the emulated
     * device. The JVM's limit for direct memory does not count such memory.
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
        return builder(device).access(access).allocate(bytes);
    }

    /**
     * Maps memory that the caller has, for example a file mapped by {@link java.nio.channels.FileChannel} or an {@link Arena}'s; functions as
     * {@link #allocate}. A mapped file must not be truncated, by any process, before the map is closed: the next access beyond its new end, also one by the emulated
     * device or by {@link Buffer#data()}, ends the JVM (SIGBUS) or throws {@link InternalError}. Close the map before the arena: a map whose arena is closed cannot be sent from, posted or taken buffers of
     * ({@link IllegalStateException}), but what is queued, in flight or posted by then is beyond any check, and a device that writes to memory that was freed can do
     * anything. Memory that the map {@linkplain #allocate allocates} has not got this problem.
     *
     * @param device the device that may use it
     * @param memory a native segment of at least one byte; a read-only one may be sent from and not received into, one that is confined to a thread
     *        is of use to engines of that thread only
     * @param access what devices may do with it
     * @return the map; closing it leaves the memory alone
     * @throws IllegalArgumentException if the segment is on the heap or empty, or read-only and {@code access} lets a device write
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws IllegalStateException if the device or the segment's arena is closed
     */
    public static MemoryMap wrap(Device device, MemorySegment memory, Access... access) {
        return builder(device).access(access).wrap(memory);
    }

    /**
     * Makes the memory of another process or machine of the same PCI bus known to a device here ({@code doca_mmap_create_from_export}). Its buffers can be given to
     * DOCA, but there is nothing here to look at: {@link #segment()} and {@link Buffer#segment()} throw.
     *
     * @param device the device that is going to use it; see {@link DeviceProperties#importsMemory()}
     * @param descriptor what {@link #exportPci} returned over there
     * @return the map; closing it leaves the memory alone
     * @throws io.github.comch4j.DocaException if DOCA refuses, for example because the exporter has closed its map
     * @throws IllegalStateException if the device is closed
     */
    public static MemoryMap importFrom(Device device, byte[] descriptor) {
        MemorySegment target = device.handle();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(Math.max(1, descriptor.length));
            MemorySegment.copy(descriptor, 0, bytes, ValueLayout.JAVA_BYTE, 0, descriptor.length);
            MemorySegment handle = Calls.pointer("doca_mmap_create_from_export", "importing memory for " + device,
                    out -> doca_h.doca_mmap_create_from_export(MemorySegment.NULL, bytes, descriptor.length, target, out));
            return new MemoryMap(device, handle);
        }
    }

    /**
     * Describes the memory, so that the other side of the PCI bus can {@linkplain #importFrom import} it ({@code doca_mmap_export_pci}). The descriptor is plain bytes that
     * may travel on any channel, and is as good as a key to the memory; it is void when this map is closed. From now on the map is closed to changes.
     *
     * @param device one of its devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses: {@link io.github.comch4j.DocaError#NOT_FOUND} for a device that is not one of its own,
     *         {@link io.github.comch4j.DocaError#NOT_PERMITTED} without {@link Access#PCI_READ_ONLY} or {@link Access#PCI_READ_WRITE} and for imported memory
     */
    public byte[] exportPci(Device device) {
        return export("doca_mmap_export_pci", device, doca_h::doca_mmap_export_pci);
    }

    /**
     * As {@link #exportPci}, for RDMA peers ({@code doca_mmap_export_rdma}).
     *
     * @param device one of its devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#NOT_PERMITTED} without an RDMA permission
     */
    public byte[] exportRdma(Device device) {
        return export("doca_mmap_export_rdma", device, doca_h::doca_mmap_export_rdma);
    }

    private interface Export {
        int call(MemorySegment map, MemorySegment device, MemorySegment descriptor, MemorySegment length);
    }

    @SuppressWarnings("restricted")
    private byte[] export(String function, Device device, Export call) {
        node.checkOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptor = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
            synchronized (node) {
                Calls.check(function, "exporting " + node.name(), () -> call.call(node.handle, device.handle(), descriptor, length));
                return descriptor.get(ValueLayout.ADDRESS, 0)
                        .reinterpret(length.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
            }
        }
    }

    /** The exporter's range. */
    @SuppressWarnings("restricted")
    private static MemorySegment range(MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
            Calls.check("doca_mmap_get_memrange", "importing memory", () -> doca_h.doca_mmap_get_memrange(handle, address, length));
            return address.get(ValueLayout.ADDRESS, 0).reinterpret(length.get(ValueLayout.JAVA_LONG, 0));
        } catch (RuntimeException | Error e) {
            doca_h.doca_mmap_destroy(handle);
            throw e;
        }
    }

    /**
     * The memory.
     *
     * @return all of it
     * @throws IllegalStateException if the map or the memory's arena is closed
     * @throws UnsupportedOperationException if it is {@linkplain #isRemote() remote}
     */
    public MemorySegment segment() {
        checkAlive();
        checkLocal();
        return memory;
    }

    /**
     * The devices that may use it.
     *
     * @return as they were given when it was made
     */
    public List<Device> devices() {
        return devices;
    }

    /**
     * Whether the memory is another process's or machine's ({@code doca_mmap_get_from_export}).
     *
     * @return true for what {@link #importFrom} made
     */
    public boolean isRemote() {
        return remote;
    }

    /**
     * Whether a descriptor was made of it ({@code doca_mmap_get_exported}).
     *
     * @return true after {@link #exportPci} or {@link #exportRdma}
     * @throws IllegalStateException if it is closed
     */
    public boolean isExported() {
        node.checkOpen();
        return Calls.flag("doca_mmap_get_exported", "asking " + node.name(), out -> doca_h.doca_mmap_get_exported(node.handle, out));
    }

    /**
     * How many buffers are windows on it ({@code doca_mmap_get_num_bufs}).
     *
     * @return a snapshot
     * @throws IllegalStateException if it is closed
     */
    public int buffers() {
        node.checkOpen();
        synchronized (node) {
            return (int) Calls.uint32("doca_mmap_get_num_bufs", "counting the buffers on " + node.name(),
                    out -> doca_h.doca_mmap_get_num_bufs(node.handle, out));
        }
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
     * @throws WrongThreadException if a consumer on it, or a task in flight with it, belongs to another thread that is no {@link EventLoop}'s
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

    /** The range, also of memory that cannot be looked at. */
    MemorySegment range() {
        return memory;
    }

    Set<Access> access() {
        return access;
    }

    void checkLocal() {
        if (remote) {
            throw new UnsupportedOperationException(node.name() + " is imported: its memory is not in this process");
        }
    }

    /** Fails if memory that is not the map's own was freed under it. */
    void checkAlive() {
        node.checkOpen();
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory under " + node.name() + " is gone: its arena is closed");
        }
    }

    /** The life of memory that is not the map's own, or null. */
    MemorySegment.Scope foreignScope() {
        return node.arena != null || remote ? null : memory.scope();
    }

    /** Held while buffers are taken and given back: DOCA counts them without a lock of its own. */
    Object lock() {
        return node;
    }

    private static final class Node extends Resource {
        private final MemorySegment handle;
        private final Arena arena; // null: the memory is not ours

        Node(Device device, MemorySegment memory, MemorySegment handle) {
            super(Rank.BASE, "the imported memory map of " + memory.byteSize() + " bytes", device.resource());
            this.arena = null;
            this.handle = handle;
            try {
                attach();
            } catch (RuntimeException | Error e) {
                doca_h.doca_mmap_destroy(handle);
                throw e;
            }
        }

        Node(Builder settings, MemorySegment memory, Arena arena, Range range) {
            super(Rank.BASE, "the memory map of " + memory.byteSize() + " bytes",
                    settings.devices.stream().map(Device::resource).toArray(Resource[]::new));
            this.arena = arena;
            String action = "mapping " + memory.byteSize() + " bytes for " + Access.of(settings.permissions);
            handle = Calls.pointer("doca_mmap_create", action, doca_h::doca_mmap_create);
            try {
                Calls.check(settings.rangeFunction, action, () -> range.set(handle));
                Calls.check("doca_mmap_set_permissions", action, () -> doca_h.doca_mmap_set_permissions(handle, settings.permissions));
                int count = settings.devices.size();
                if (count > Calls.uint32("doca_mmap_get_max_num_devices", action, out -> doca_h.doca_mmap_get_max_num_devices(handle, out))) {
                    Calls.check("doca_mmap_set_max_num_devices", action, () -> doca_h.doca_mmap_set_max_num_devices(handle, count));
                }
                for (Device device : settings.devices) {
                    Calls.check("doca_mmap_add_dev", action, () -> doca_h.doca_mmap_add_dev(handle, device.handle()));
                }
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

    /** Settings of a map. Not thread safe; can be used once. */
    public static final class Builder {
        private static final int WRITING = Access.LOCAL_READ_WRITE.flag() | Access.PCI_READ_WRITE.flag() | Access.RDMA_WRITE.flag() | Access.RDMA_ATOMIC.flag();

        private final List<Device> devices;
        private int permissions;
        private String rangeFunction = "doca_mmap_set_memrange";

        private Builder(List<Device> devices) {
            if (devices.isEmpty()) {
                throw new IllegalArgumentException("a map without a device");
            }
            this.devices = devices;
        }

        /**
         * What devices may do with it ({@code doca_mmap_set_permissions}). Default: the local device reads.
         *
         * @param access all that applies
         * @return this
         */
        public Builder access(Access... access) {
            for (Access flag : Objects.requireNonNull(access)) {
                permissions |= flag.flag();
            }
            return this;
        }

        /**
         * Allocates zeroed memory, as {@link MemoryMap#allocate}.
         *
         * @param bytes its size, at least 1
         * @return the map
         */
        public MemoryMap allocate(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("cannot map " + bytes + " bytes");
            }
            devices.forEach(Device::handle);
            Arena arena = Arena.ofShared(); // closed once, with the map
            try {
                return map(Pages.allocate(arena, bytes), arena);
            } catch (RuntimeException | Error e) {
                arena.close();
                throw e;
            }
        }

        /**
         * Maps memory that the caller has, as {@link MemoryMap#wrap}.
         *
         * @param memory a native segment of at least one byte
         * @return the map
         */
        public MemoryMap wrap(MemorySegment memory) {
            check(memory);
            return map(memory, null);
        }

        /**
         * Maps memory that belongs to a device driver ({@code doca_mmap_set_dmabuf_memrange}).
         *
         * @param descriptor the dma-buf's file descriptor; remains the caller's
         * @param offset where in the dma-buf the memory begins, bytes
         * @param memory the caller's mapping of it
         * @return the map
         * @throws io.github.comch4j.DocaException if DOCA refuses, for example because the descriptor is not a dma-buf
         */
        public MemoryMap wrapDmaBuf(int descriptor, long offset, MemorySegment memory) {
            check(memory);
            rangeFunction = "doca_mmap_set_dmabuf_memrange";
            return new MemoryMap(this, memory, null,
                    map -> doca_h.doca_mmap_set_dmabuf_memrange(map, descriptor, memory, offset, memory.byteSize()));
        }

        private MemoryMap map(MemorySegment memory, Arena arena) {
            return new MemoryMap(this, memory, arena, map -> doca_h.doca_mmap_set_memrange(map, memory, memory.byteSize()));
        }

        private void check(MemorySegment memory) {
            if (!memory.isNative()) {
                throw new IllegalArgumentException("a device cannot use memory on the Java heap: " + memory);
            }
            if (memory.byteSize() < 1) {
                throw new IllegalArgumentException("cannot map an empty segment");
            }
            if (!memory.scope().isAlive()) {
                throw new IllegalStateException("the memory's arena is closed");
            }
            if (memory.isReadOnly() && (permissions & WRITING) != 0) {
                throw new IllegalArgumentException("a device cannot write to a read-only segment: " + memory);
            }
            devices.forEach(Device::handle);
        }
    }
}
