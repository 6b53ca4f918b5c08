package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.DpaMemoryCalls;
import io.github.comch4j.internal.call.MmapCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory on a DPA ({@code doca_dpa_mem_alloc}). Its address is valid only for kernels, not for this process; use the
 * methods of this class to copy bytes to it and from it.
 */
public final class DpaMemory extends DpaObject {
    private static final DpaHandle.Kind MAP = DpaHandle.Kind.of(MmapCalls::destroy);

    private final long address;
    private final long bytes;
    private volatile @Nullable DpaHandle map; // once it was asked for; changed with the lock held

    DpaMemory(Dpa dpa, long bytes) {
        this(dpa, bytes, allocate(dpa, bytes));
    }

    private DpaMemory(Dpa dpa, long bytes, DpaHandle resource) {
        super(dpa, resource);
        this.bytes = bytes;
        this.address = resource.handle().address();
    }

    /** The address on the DPA is the object: it stands in a segment of no size. */
    private static DpaHandle allocate(Dpa dpa, long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("cannot allocate " + bytes + " bytes");
        }
        MemorySegment owner = dpa.resource().handle(); // outlives it
        return dpa.make(
                DpaHandle.Kind.of((memory, action) -> DpaMemoryCalls.free(owner, memory.address(), action)),
                bytes + " bytes",
                (handle, action) -> MemorySegment.ofAddress(DpaMemoryCalls.allocate(handle, bytes, action)));
    }

    /**
     * Returns the address of this memory on the DPA ({@code doca_dpa_dev_uintptr_t}), to pass to kernels.
     *
     * @return the address
     */
    public long address() {
        return address;
    }

    /**
     * Returns the size of this memory.
     *
     * @return the size in bytes
     */
    public long size() {
        return bytes;
    }

    /**
     * Copies bytes to the DPA ({@code doca_dpa_h2d_memcpy}).
     *
     * @param offset the target, in bytes from the beginning of this memory
     * @param source the bytes, all of which are copied
     * @throws IndexOutOfBoundsException if the bytes do not fit
     * @throws IllegalStateException if the memory is closed
     * @throws DocaException if DOCA refuses
     */
    public void write(long offset, MemorySegment source) {
        Objects.checkFromIndexSize(offset, source.byteSize(), bytes);
        if (!source.isNative()) {
            try (Arena arena = Arena.ofConfined()) {
                write(offset, arena.allocate(source.byteSize()).copyFrom(source));
            }
            return;
        }
        if (source.byteSize() > 0) {
            resource()
                    .use(
                            "writing to " + this,
                            (memory, action) ->
                                    DpaMemoryCalls.write(owner(), address + offset, source, source.byteSize(), action));
        }
    }

    /**
     * Copies bytes from the DPA ({@code doca_dpa_d2h_memcpy}).
     *
     * @param offset the source, in bytes from the beginning of this memory
     * @param target the memory to fill completely
     * @throws IndexOutOfBoundsException if this memory does not have that many bytes
     * @throws IllegalArgumentException if the target is read-only
     * @throws IllegalStateException if the memory is closed
     * @throws DocaException if DOCA refuses
     */
    public void read(long offset, MemorySegment target) {
        Objects.checkFromIndexSize(offset, target.byteSize(), bytes);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("cannot read into a read-only segment: " + target);
        }
        if (!target.isNative()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment copy = arena.allocate(target.byteSize());
                read(offset, copy);
                target.copyFrom(copy);
            }
            return;
        }
        if (target.byteSize() > 0) {
            resource()
                    .use(
                            "reading " + this,
                            (memory, action) ->
                                    DpaMemoryCalls.read(owner(), target, address + offset, target.byteSize(), action));
        }
    }

    /**
     * Fills all of this memory with a byte ({@code doca_dpa_memset}).
     *
     * @param value the byte
     * @return this
     * @throws IllegalStateException if the memory is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaMemory fill(byte value) {
        resource()
                .use(
                        "filling " + this,
                        (memory, action) -> DpaMemoryCalls.fill(owner(), address, value & 0xff, bytes, action));
        return this;
    }

    /**
     * Returns the handle by which kernels copy from this memory and to it ({@code doca_mmap_dev_get_dpa_handle}), with
     * {@code doca_dpa_dev_comch_producer_dma_copy} and similar functions. The first call maps the memory
     * ({@code doca_mmap_set_dpa_memrange}) until it is closed.
     *
     * @return the handle, 32 bits
     * @throws IllegalStateException if the memory is closed
     * @throws DocaException if DOCA refuses
     */
    public long mapHandle() {
        DpaHandle mapped = map;
        if (mapped == null) {
            mapped = resource().alone(this::map);
        }
        return mapped.ask(
                "asking " + this + " for the handle of its map",
                (object, action) -> MmapCalls.dpaHandle(object, dpa().deviceHandle(), action));
    }

    private DpaHandle map() {
        DpaHandle made = map;
        if (made == null) {
            made = dpa().make(
                            MAP, "map of " + bytes + " bytes", (owner, action) -> MmapCalls.create(action), resource());
            made.start((object, action) -> {
                MmapCalls.setDpaRange(object, owner(), address, bytes, action);
                MmapCalls.setPermissions(object, MmapCalls.LOCAL_READ_WRITE, action);
                MmapCalls.start(object, action);
            });
            map = made;
        }
        return made;
    }

    private MemorySegment owner() {
        return dpa().resource().handle();
    }
}
