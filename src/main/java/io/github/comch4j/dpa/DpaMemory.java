package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.DpaMemoryCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory on a DPA ({@code doca_dpa_mem_alloc}). Its address is valid only for kernels, not for this process; use the
 * methods of this class to copy bytes to it and from it.
 */
public final class DpaMemory extends DpaObject {
    private final long address;
    private final long bytes;

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
     * Maps this memory, so that kernels can copy from it and to it ({@code doca_mmap_set_dpa_memrange}).
     *
     * @return the map, which closes with the memory, if not before
     * @throws IllegalStateException if the memory is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaMemoryMap map() {
        return new DpaMemoryMap(this);
    }

    private MemorySegment owner() {
        return dpa().resource().handle();
    }
}
