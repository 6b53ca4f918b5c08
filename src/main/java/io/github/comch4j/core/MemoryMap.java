package io.github.comch4j.core;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.MmapCalls;
import io.github.comch4j.internal.call.Pages;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a device may read and write ({@code doca_mmap}). Each buffer is a window on a memory map.
 *
 * <p>The memory either belongs to the map ({@link #allocate}), which frees it when it is closed, or the program
 * provides it ({@link #wrap}) and must keep it alive until the map is closed. The map keeps a wrapped segment
 * reachable, but cannot prevent the program from closing its arena. A buffer detects a closed arena when it is used.
 * The one mistake that this library cannot turn into an exception is the removal of a memory mapping while a device or
 * the peer still writes to the memory.
 *
 * <p>Any thread may use a map. Segments of an allocated map throw {@link IllegalStateException} once the map is closed.
 */
public final class MemoryMap implements AutoCloseable {
    static {
        Internals.open(MemoryMap.class, MemoryMap::resource);
    }

    private final MemorySegment memory;
    private final List<Device> devices;
    private final boolean remote;
    private final Set<Access> access; // of remote memory not known, and empty
    private final MapHandle resource;

    private MemoryMap(Builder settings, MemorySegment memory, @Nullable Arena arena, MapHandle.Range range) {
        this.memory = memory;
        this.devices = settings.devices;
        this.remote = false;
        this.access = Access.of(settings.permissions);
        this.resource = new MapHandle(devices, settings.permissions, memory, arena, range);
    }

    private MemoryMap(Device device, MemorySegment imported) {
        this.memory = MapHandle.rangeOf(imported);
        this.devices = List.of(device);
        this.remote = true;
        this.access = Set.of();
        this.resource = new MapHandle(device, memory.byteSize(), imported);
    }

    /**
     * Returns a builder for a map for several devices.
     *
     * @param devices the devices that may use the map, at least one
     * @return the builder
     * @throws IllegalArgumentException if there is no device
     */
    public static Builder builder(Device... devices) {
        return new Builder(List.of(devices));
    }

    /**
     * Allocates zeroed memory and maps it ({@code doca_mmap_create}, {@code _set_memrange}, {@code _set_permissions},
     * {@code _add_dev}, {@code _start}). The memory begins at a page boundary. For 2 MiB or more, the library asks the
     * kernel for large pages ({@code madvise}), which make large messages about twice as fast on the emulated device.
     * The memory does not count toward the JVM's limit for direct memory.
     *
     * @param device the device that may use the map
     * @param bytes the size, at least 1
     * @param access the permissions of devices
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
     * Maps memory of the caller, for example a file mapped by {@link java.nio.channels.FileChannel} or memory of an
     * {@link Arena}; calls the same functions as {@link #allocate}.
     *
     * <p>Before the map is closed, no process may truncate a mapped file. The next access beyond the new end, including
     * one by the emulated device or by {@link Buffer#data()}, ends the JVM (SIGBUS) or throws {@link InternalError}.
     *
     * <p>Close the map before the arena. Once the arena is closed, a program cannot send from the map, post its
     * buffers, or take new ones ({@link IllegalStateException}). But the library cannot check what is queued, in flight
     * or posted by then, and a device that writes to freed memory can cause any damage. Memory that the map
     * {@linkplain #allocate allocates} does not have this problem.
     *
     * @param device the device that may use the map
     * @param memory a native segment of at least one byte. A program can send from a read-only segment, but not receive
     *     into it. Only engines of the same thread can use a segment that is confined to a thread
     * @param access the permissions of devices
     * @return the map; closing it does not affect the memory
     * @throws IllegalArgumentException if the segment is on the heap or empty, or if it is read-only and {@code access}
     *     lets a device write
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws IllegalStateException if the device or the segment's arena is closed
     */
    public static MemoryMap wrap(Device device, MemorySegment memory, Access... access) {
        return builder(device).access(access).wrap(memory);
    }

    /**
     * Makes memory of another process, or of another machine on the same PCI bus, available to a device of this process
     * ({@code doca_mmap_create_from_export}). DOCA can use its buffers, but the program cannot access their contents:
     * {@link #segment()} and {@link Buffer#segment()} throw an exception.
     *
     * @param device the device that uses the memory; see {@link DeviceProperties#importsMemory()}
     * @param descriptor the result of {@link #exportPci} in the exporting process
     * @return the map; closing it does not affect the memory
     * @throws io.github.comch4j.DocaException if DOCA refuses, for example because the exporter has closed its map
     * @throws IllegalStateException if the device is closed
     */
    public static MemoryMap importFrom(Device device, byte[] descriptor) {
        return new MemoryMap(
                device, MmapCalls.createFromExport(device.handle(), descriptor, "importing memory for " + device));
    }

    /**
     * Returns a descriptor of the memory, with which the other machine, host or DPU, can
     * {@linkplain #importFrom import} it ({@code doca_mmap_export_pci}). The program can send the descriptor, which is
     * plain bytes, over any channel. Any holder of the descriptor has access to the memory until this map is closed.
     * After this call the map can no longer be changed.
     *
     * @param device one of the map's devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses: {@link io.github.comch4j.DocaError#NOT_FOUND} for a
     *     device that is not one of the map's, {@link io.github.comch4j.DocaError#NOT_PERMITTED} without
     *     {@link Access#PCI_READ_ONLY} or {@link Access#PCI_READ_WRITE} and for imported memory
     */
    public byte[] exportPci(Device device) {
        return resource.exportPci(device);
    }

    /**
     * Returns a descriptor as {@link #exportPci} does, for RDMA peers ({@code doca_mmap_export_rdma}).
     *
     * @param device one of the map's devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#NOT_SUPPORTED} if the
     *     device has no RDMA, as is the case for the emulated device
     */
    public byte[] exportRdma(Device device) {
        return resource.exportRdma(device);
    }

    /**
     * Returns the memory.
     *
     * @return the whole memory
     * @throws IllegalStateException if the map or the memory's arena is closed
     * @throws UnsupportedOperationException if the memory is {@linkplain #isRemote() remote}
     */
    public MemorySegment segment() {
        checkAlive();
        checkLocal();
        return memory;
    }

    /**
     * Returns the permissions of devices on the map.
     *
     * @return the permissions that were set; empty if none were set, and for imported memory, whose permissions are not
     *     known
     */
    public Set<Access> access() {
        return access;
    }

    /**
     * Returns the devices that may use the map.
     *
     * @return the devices that were given at creation
     */
    public List<Device> devices() {
        return devices;
    }

    /**
     * Returns whether the memory belongs to another process or machine ({@code doca_mmap_get_from_export}).
     *
     * @return true for a map created by {@link #importFrom}
     */
    public boolean isRemote() {
        return remote;
    }

    /**
     * Returns whether the map was exported ({@code doca_mmap_get_exported}).
     *
     * @return true after {@link #exportPci} or {@link #exportRdma}
     * @throws IllegalStateException if the map is closed
     */
    public boolean isExported() {
        return resource.isExported();
    }

    /**
     * Returns the number of buffers on the map ({@code doca_mmap_get_num_bufs}).
     *
     * @return a snapshot
     * @throws IllegalStateException if the map is closed
     */
    public int buffers() {
        return resource.buffers();
    }

    /**
     * Returns where the memory begins ({@code doca_mmap_get_memrange}), as an address in the process or machine that
     * owns it. Kernels on the DPA use these addresses for imported memory.
     *
     * @return the address
     */
    public long address() {
        return memory.address();
    }

    /**
     * Returns the size of the memory.
     *
     * @return bytes
     */
    public long size() {
        return memory.byteSize();
    }

    /**
     * Returns whether the map is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the map ({@code doca_mmap_destroy}), and frees memory that it allocated. First closes the consumers that
     * receive into this memory and the buffers on it, and waits for sends in flight. A second call does nothing.
     *
     * @throws WrongThreadException if a consumer on the map, or a task in flight with it, belongs to another thread
     *     that is not an {@link EventLoop}'s
     * @throws io.github.comch4j.DocaException if an operation does not end in time; the map is then still open
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

    Handle resource() {
        return resource;
    }

    MemorySegment handle() {
        return resource.handle();
    }

    /** The range, also of memory that cannot be looked at. */
    MemorySegment range() {
        return memory;
    }

    void checkLocal() {
        if (remote) {
            throw new UnsupportedOperationException(
                    resource.name() + " is imported: its memory is not in this process");
        }
    }

    /** Fails if memory that is not the map's own was freed under it. */
    void checkAlive() {
        resource.checkOpen();
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory under " + resource.name() + " is gone: its arena is closed");
        }
    }

    /** Where in the map a segment begins; fails if it is not, all of it, memory of the map. */
    long offsetOf(MemorySegment segment) {
        checkLocal();
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the segment's arena is closed");
        }
        long offset = segment.address() - memory.address();
        if (!segment.isNative() || offset < 0 || offset > size() - segment.byteSize()) {
            throw new IllegalArgumentException(segment + " is not a part of " + resource.name());
        }
        return offset;
    }

    /** The life of memory that is not the map's own, or null. */
    MemorySegment.@Nullable Scope foreignScope() {
        return resource.ownsMemory() || remote ? null : memory.scope();
    }

    /** Held while buffers are taken and given back: DOCA counts them without a lock of its own. */
    Object lock() {
        return resource;
    }

    /**
     * A builder for a map. Not thread safe. It can be used once, even if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder {
        private static final int WRITING = Access.LOCAL_READ_WRITE.flag()
                | Access.PCI_READ_WRITE.flag()
                | Access.RDMA_WRITE.flag()
                | Access.RDMA_ATOMIC.flag();
        private static final int NEED_LOCAL_WRITE = Access.RDMA_WRITE.flag() | Access.RDMA_ATOMIC.flag();

        private final OneUse use = new OneUse("MemoryMap.Builder");
        private final List<Device> devices;
        private int permissions;

        private Builder(List<Device> devices) {
            if (devices.isEmpty()) {
                throw new IllegalArgumentException("a memory map needs at least 1 device");
            }
            this.devices = devices;
        }

        /**
         * Sets the permissions of devices on the map ({@code doca_mmap_set_permissions}). Default: the local device can
         * read.
         *
         * @param access the permissions
         * @return this
         */
        public Builder access(Access... access) {
            use.check();
            for (Access flag : Objects.requireNonNull(access)) {
                permissions |= flag.flag();
            }
            return this;
        }

        /**
         * Allocates zeroed memory as {@link MemoryMap#allocate} does.
         *
         * @param bytes the size, at least 1
         * @return the map
         */
        public MemoryMap allocate(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("cannot map " + bytes + " bytes");
            }
            checkAccess();
            devices.forEach(Device::handle);
            use.begin();
            Arena arena = Arena.ofShared(); // closed once, with the map
            try {
                return map(Pages.allocate(arena, bytes), arena);
            } catch (RuntimeException | Error e) {
                arena.close();
                throw e;
            }
        }

        /**
         * Maps memory of the caller as {@link MemoryMap#wrap} does.
         *
         * @param memory a native segment of at least one byte
         * @return the map
         */
        public MemoryMap wrap(MemorySegment memory) {
            check(memory);
            use.begin();
            return map(memory, null);
        }

        /**
         * Maps memory that belongs to a device driver ({@code doca_mmap_set_dmabuf_memrange}).
         *
         * @param descriptor the file descriptor of the dma-buf; still belongs to the caller
         * @param offset where the memory begins in the dma-buf, in bytes
         * @param memory the caller's mapping of the memory
         * @return the map
         * @throws io.github.comch4j.DocaException if DOCA refuses, for example because the descriptor is not a dma-buf
         */
        public MemoryMap wrapDmaBuf(int descriptor, long offset, MemorySegment memory) {
            check(memory);
            use.begin();
            return new MemoryMap(
                    this,
                    memory,
                    null,
                    (map, action) -> MmapCalls.setDmaBufRange(map, descriptor, offset, memory, action));
        }

        private MemoryMap map(MemorySegment memory, @Nullable Arena arena) {
            return new MemoryMap(this, memory, arena, (map, action) -> MmapCalls.setRange(map, memory, action));
        }

        private void check(MemorySegment memory) {
            if (!memory.isNative()) {
                throw new IllegalArgumentException("a device cannot use memory on the Java heap: " + memory);
            }
            if (memory.byteSize() < 1) {
                throw new IllegalArgumentException("cannot map an empty segment");
            }
            if (!memory.scope().isAlive()) {
                throw new IllegalStateException("the segment's arena is closed");
            }
            if (memory.isReadOnly() && (permissions & WRITING) != 0) {
                throw new IllegalArgumentException("a device cannot write to a read-only segment: " + memory);
            }
            checkAccess();
            devices.forEach(Device::handle);
        }

        private void checkAccess() {
            if ((permissions & NEED_LOCAL_WRITE) != 0 && (permissions & Access.LOCAL_READ_WRITE.flag()) == 0) {
                throw new IllegalArgumentException("RDMA_WRITE and RDMA_ATOMIC need LOCAL_READ_WRITE as well");
            }
        }
    }
}
