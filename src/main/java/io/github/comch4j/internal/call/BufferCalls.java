package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Hot calls of buffers. */
public final class BufferCalls {
    /** {@code doca_buf_dec_refcount}. */
    public static final String DECREMENT_NAME = "doca_buf_dec_refcount";
    /** {@code doca_buf_set_data}. */
    public static final String SET_DATA_NAME = "doca_buf_set_data";
    /** {@code doca_buf_chain_list}. */
    public static final String CHAIN_NAME = "doca_buf_chain_list";
    /** {@code doca_buf_unchain_list}. */
    public static final String UNCHAIN_NAME = "doca_buf_unchain_list";

    private BufferCalls() {}

    /** {@code doca_buf_set_data}: moves the data segment. */
    public static int setData(long buffer, long data, long length) {
        return doca_h.doca_buf_set_data$hot(buffer, data, length);
    }

    /** {@code doca_buf_reset_data_len}: forgets the data, the next go where they were. */
    public static int resetDataLength(long buffer) {
        return doca_h.doca_buf_reset_data_len$hot(buffer);
    }

    /** {@code doca_buf_get_data_len}; the length is written to {@code out}. */
    public static int getDataLength(long buffer, long out) {
        return doca_h.doca_buf_get_data_len$hot(buffer, out);
    }

    /** {@code doca_buf_chain_list}: appends the list that begins with {@code head} to a list. */
    public static int chain(long list, long head) {
        return doca_h.doca_buf_chain_list$hot(list, head);
    }

    /** {@code doca_buf_unchain_list}: from {@code head} on it is a list of its own. */
    public static int unchain(long list, long head) {
        return doca_h.doca_buf_unchain_list$hot(list, head);
    }

    /** {@code doca_buf_dec_refcount}; returns {@code doca_error_t}. */
    public static int decrementReferences(long buffer) {
        return doca_h.doca_buf_dec_refcount(MemorySegment.ofAddress(buffer), MemorySegment.NULL)
                .code();
    }

    /** {@code doca_buf_get_head}: the address of the window. */
    public static long head(MemorySegment buffer) {
        return Calls.pointer("asking where a buffer is", doca_h.doca_buf_get_head(buffer, Calls.out()))
                .address();
    }

    /** {@code doca_buf_get_refcount}. */
    public static int references(long buffer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_SHORT);
            doca_h.doca_buf_get_refcount(MemorySegment.ofAddress(buffer), out).check("reading a reference count");
            return Short.toUnsignedInt(out.get(ValueLayout.JAVA_SHORT, 0));
        }
    }
}
