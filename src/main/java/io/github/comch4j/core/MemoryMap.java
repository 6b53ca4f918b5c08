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
 * Memory that a device may read and write ({@code doca_mmap}); what buffers are windows on.
 *
 * <p>The memory either belongs to the map ({@link #allocate}) and is freed when the map is closed, or is given to it
 * ({@link #wrap}) and must live until then: the map keeps the segment reachable, but cannot keep somebody from closing
 * its arena. Buffers notice a closed arena when they are used; memory that is unmapped while a device or the peer still
 * writes to it is the one mistake that this library cannot turn into an exception.
 *
 * <p>May be used from any thread. Segments that were taken from an allocated map throw {@link IllegalStateException}
 * once the map is closed.
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
     * Allocates zeroed memory and maps it ({@code doca_mmap_create}, {@code _set_memrange}, {@code _set_permissions},
     * {@code _add_dev}, {@code _start}). It begins at a page; from 2 MiB on the kernel is asked for large pages
     * ({@code madvise}), with which large messages are about twice as fast on the emulated device. The JVM's limit for
     * direct memory does not count such memory.
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
     * Maps memory that the caller has, for example a file mapped by {@link java.nio.channels.FileChannel} or an
     * {@link Arena}'s; functions as {@link #allocate}. A mapped file must not be truncated, by any process, before the
     * map is closed: the next access beyond its new end, also one by the emulated device or by {@link Buffer#data()},
     * ends the JVM (SIGBUS) or throws {@link InternalError}. Close the map before the arena: a map whose arena is
     * closed cannot be sent from, posted or taken buffers of ({@link IllegalStateException}), but what is queued, in
     * flight or posted by then is beyond any check, and a device that writes to memory that was freed can do anything.
     * Memory that the map {@linkplain #allocate allocates} has not got this problem.
     *
     * @param device the device that may use it
     * @param memory a native segment of at least one byte; a read-only one may be sent from and not received into, one
     *     that is confined to a thread is of use to engines of that thread only
     * @param access what devices may do with it
     * @return the map; closing it leaves the memory alone
     * @throws IllegalArgumentException if the segment is on the heap or empty, or read-only and {@code access} lets a
     *     device write
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws IllegalStateException if the device or the segment's arena is closed
     */
    public static MemoryMap wrap(Device device, MemorySegment memory, Access... access) {
        return builder(device).access(access).wrap(memory);
    }

    /**
     * Makes the memory of another process or machine of the same PCI bus known to a device here
     * ({@code doca_mmap_create_from_export}). Its buffers can be given to DOCA, but there is nothing here to look at:
     * {@link #segment()} and {@link Buffer#segment()} throw.
     *
     * @param device the device that is going to use it; see {@link DeviceProperties#importsMemory()}
     * @param descriptor what {@link #exportPci} returned in the exporting process
     * @return the map; closing it leaves the memory alone
     * @throws io.github.comch4j.DocaException if DOCA refuses, for example because the exporter has closed its map
     * @throws IllegalStateException if the device is closed
     */
    public static MemoryMap importFrom(Device device, byte[] descriptor) {
        return new MemoryMap(
                device, MmapCalls.createFromExport(device.handle(), descriptor, "importing memory for " + device));
    }

    /**
     * Describes the memory, so that the other machine, host or DPU, can {@linkplain #importFrom import} it
     * ({@code doca_mmap_export_pci}). The descriptor is plain bytes that may travel on any channel, and is as good as a
     * key to the memory; it is void when this map is closed. From now on the map is closed to changes.
     *
     * @param device one of its devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses: {@link io.github.comch4j.DocaError#NOT_FOUND} for a
     *     device that is not one of its own, {@link io.github.comch4j.DocaError#NOT_PERMITTED} without
     *     {@link Access#PCI_READ_ONLY} or {@link Access#PCI_READ_WRITE} and for imported memory
     */
    public byte[] exportPci(Device device) {
        return resource.exportPci(device);
    }

    /**
     * As {@link #exportPci}, for RDMA peers ({@code doca_mmap_export_rdma}).
     *
     * @param device one of its devices
     * @return the descriptor
     * @throws IllegalStateException if the map is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#NOT_SUPPORTED} if the
     *     device has no RDMA, as the emulated one
     */
    public byte[] exportRdma(Device device) {
        return resource.exportRdma(device);
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
     * What it is mapped for.
     *
     * @return the permissions that were given; empty if none were, and for imported memory, where they are not known
     */
    public Set<Access> access() {
        return access;
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
        return resource.isExported();
    }

    /**
     * How many buffers are windows on it ({@code doca_mmap_get_num_bufs}).
     *
     * @return a snapshot
     * @throws IllegalStateException if it is closed
     */
    public int buffers() {
        return resource.buffers();
    }

    /**
     * Where the memory begins ({@code doca_mmap_get_memrange}), in the process or machine that it is of: kernels on the
     * DPA name places in imported memory by the addresses that they have there.
     *
     * @return the address
     */
    public long address() {
        return memory.address();
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
        return resource.isClosed();
    }

    /**
     * Closes the consumers that receive into this memory and the buffers on it, waiting for sends in flight, then the
     * map ({@code doca_mmap_destroy}), and frees memory that it allocated. The second call does nothing.
     *
     * @throws WrongThreadException if a consumer on it, or a task in flight with it, belongs to another thread that is
     *     no {@link EventLoop}'s
     * @throws io.github.comch4j.DocaException if something does not end in time; the map is still open then
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
            throw new IllegalStateException("the segment's arena is closed, and its memory may be another's");
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
     * Settings of a map. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
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
            use.check();
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
         * Maps memory that the caller has, as {@link MemoryMap#wrap}.
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
         * @param descriptor the dma-buf's file descriptor; remains the caller's
         * @param offset where in the dma-buf the memory begins, bytes
         * @param memory the caller's mapping of it
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
                throw new IllegalStateException("the memory's arena is closed");
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
