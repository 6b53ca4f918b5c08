package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.Experimental;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.call.KernelCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * The functions for memory that a kernel in Java can call: for memory of the DPA, of maps and of buffers, and for hash
 * tables. Valid as long as the {@link KernelContext} that returned it.
 *
 * <p>The library does not detect an address that is invalid or no longer valid: using it is a memory access of the
 * process, which can end the process.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class KernelMemory {
    private final KernelContext context;
    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_LONG); // what calls return by a pointer

    private MemorySegment last = MemorySegment.NULL;

    KernelMemory(KernelContext context) {
        this.context = context;
    }

    /**
     * Returns memory of the DPA, or of a map at a {@linkplain #ofMap pointer}. A call with the same arguments as the
     * last call allocates nothing, so a kernel can request its argument's memory in each run.
     *
     * @param address the beginning of the memory
     * @param bytes the length, at most that of the memory
     * @return the memory itself, which any thread may use as long as it exists
     */
    public MemorySegment at(long address, long bytes) {
        context.check();
        MemorySegment found = last;
        if (found.address() != address || found.byteSize() != bytes) {
            found = KernelCalls.memory(address, bytes);
            last = found;
        }
        return found;
    }

    /**
     * Returns the kernel's pointer to an address of a memory map ({@code doca_dpa_dev_mmap_get_external_ptr}).
     *
     * @param map the handle of a map
     * @param address an address in it
     * @return a pointer, for {@link #at}; 0 if there is none
     */
    public long ofMap(int map, long address) {
        context.check();
        return dpa_h.doca_dpa_dev_mmap_get_external_ptr(map, address);
    }

    /**
     * Returns the kernel's pointer to the memory of a buffer ({@code doca_dpa_dev_buf_get_external_ptr}).
     *
     * @param buffer a buffer from {@link #buffer}
     * @return a pointer, for {@link #at}; 0 if there is none
     */
    public long ofBuffer(long buffer) {
        context.check();
        return dpa_h.doca_dpa_dev_buf_get_external_ptr(buffer);
    }

    // ---- buffers

    /**
     * Returns an element of an array of buffers ({@code doca_dpa_dev_buf_array_get_buf}).
     *
     * @param array the handle of an array
     * @param index the index of the element
     * @return the buffer
     */
    public long buffer(long array, long index) {
        context.check();
        return KernelCalls.bufferOf(array, index);
    }

    /**
     * Returns where a buffer begins ({@code doca_dpa_dev_buf_get_addr}).
     *
     * @param buffer a buffer from {@link #buffer}
     * @return an address in its map
     */
    public long bufferAddress(long buffer) {
        context.check();
        return KernelCalls.bufferAddress(buffer);
    }

    /**
     * Returns the length of a buffer ({@code doca_dpa_dev_buf_get_len}).
     *
     * @param buffer a buffer from {@link #buffer}
     * @return the length in bytes
     */
    public long bufferLength(long buffer) {
        context.check();
        return KernelCalls.bufferLength(buffer);
    }

    /**
     * Returns the map of a buffer ({@code doca_dpa_dev_buf_get_mmap}).
     *
     * @param buffer a buffer from {@link #buffer}
     * @return the handle of a map
     */
    public int bufferMap(long buffer) {
        context.check();
        return KernelCalls.bufferMap(buffer);
    }

    /**
     * Sets the map, address and length of a buffer ({@code doca_dpa_dev_buf_set_mmap}, {@code _addr}, {@code _len}).
     *
     * @param buffer a buffer from {@link #buffer}
     * @param map the handle of a map
     * @param address an address in it
     * @param length the length in bytes
     */
    public void setBuffer(long buffer, int map, long address, long length) {
        context.check();
        KernelCalls.setBufferMap(buffer, map);
        KernelCalls.setBufferAddress(buffer, address);
        KernelCalls.setBufferLength(buffer, length);
    }

    // ---- copies

    /**
     * Copies from one buffer to another ({@code doca_dpa_dev_post_buf_memcpy}). The completion of the operations
     * reports the end of the copy.
     *
     * @param operations the handle of asynchronous operations
     * @param target a buffer
     * @param source a buffer
     * @param flags {@link KernelContext#FLUSH} and {@link KernelContext#OPTIMIZE_REPORTS}, or 0
     */
    public void copyBuffer(long operations, long target, long source, int flags) {
        context.check();
        dpa_h.doca_dpa_dev_post_buf_memcpy(operations, target, source, flags);
    }

    /**
     * Copies from one map to another ({@code doca_dpa_dev_post_memcpy}). The completion of the operations reports the
     * end of the copy.
     *
     * @param operations the handle of asynchronous operations
     * @param copy the source and the target
     * @param flags {@link KernelContext#FLUSH} and {@link KernelContext#OPTIMIZE_REPORTS}, or 0
     */
    public void copy(long operations, KernelCopy copy, int flags) {
        context.check();
        dpa_h.doca_dpa_dev_post_memcpy(
                operations, copy.targetMap(), copy.target(), copy.sourceMap(), copy.source(), copy.bytes(), flags);
    }

    // ---- hash tables

    /**
     * Adds an entry to a hash table, or replaces the entry of the same key ({@code doca_dpa_dev_hash_table_add}).
     *
     * @param table the handle of a hash table
     * @param key the key of the entry
     * @param value its value
     */
    public void tableAdd(long table, int key, long value) {
        context.check();
        dpa_h.doca_dpa_dev_hash_table_add(table, key, value);
    }

    /**
     * Removes an entry from a hash table, if there is one ({@code doca_dpa_dev_hash_table_remove}).
     *
     * @param table the handle of a hash table
     * @param key the key of the entry
     */
    public void tableRemove(long table, int key) {
        context.check();
        dpa_h.doca_dpa_dev_hash_table_remove(table, key);
    }

    /**
     * Finds an entry of a hash table ({@code doca_dpa_dev_hash_table_find}).
     *
     * @param table the handle of a hash table
     * @param key the key of the entry
     * @return its value, or empty
     */
    public OptionalLong tableFind(long table, int key) {
        context.check();
        return dpa_h.doca_dpa_dev_hash_table_find(table, key, result) != 0
                ? OptionalLong.of(result.get(JAVA_LONG, 0))
                : OptionalLong.empty();
    }
}
