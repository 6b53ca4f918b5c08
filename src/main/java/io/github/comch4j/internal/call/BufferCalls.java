package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

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

    private static final MethodHandle SET_DATA =
            Symbols.downcall("doca_buf_set_data", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RESET_DATA_LENGTH =
            Symbols.downcall("doca_buf_reset_data_len", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle GET_DATA_LENGTH =
            Symbols.downcall("doca_buf_get_data_len", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CHAIN =
            Symbols.downcall("doca_buf_chain_list", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle UNCHAIN =
            Symbols.downcall("doca_buf_unchain_list", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private BufferCalls() {}

    /** {@code doca_buf_set_data}: moves the data segment. */
    public static int setData(long buffer, long data, long length) {
        try {
            return (int) SET_DATA.invokeExact(buffer, data, length);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_buf_reset_data_len}: forgets the data, the next go where they were. */
    public static int resetDataLength(long buffer) {
        try {
            return (int) RESET_DATA_LENGTH.invokeExact(buffer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_buf_get_data_len}; the length is written to {@code out}. */
    public static int getDataLength(long buffer, long out) {
        try {
            return (int) GET_DATA_LENGTH.invokeExact(buffer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_buf_chain_list}: appends the list that begins with {@code head} to a list. */
    public static int chain(long list, long head) {
        try {
            return (int) CHAIN.invokeExact(list, head);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_buf_unchain_list}: from {@code head} on it is a list of its own. */
    public static int unchain(long list, long head) {
        try {
            return (int) UNCHAIN.invokeExact(list, head);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_buf_dec_refcount}; returns {@code doca_error_t}. */
    public static int decrementReferences(long buffer) {
        present("doca_buf_dec_refcount");
        return doca_h.doca_buf_dec_refcount(MemorySegment.ofAddress(buffer), MemorySegment.NULL);
    }

    /** {@code doca_buf_get_refcount}. */
    public static int references(long buffer) {
        return present("doca_buf_get_refcount")
                .number(
                        "reading a reference count",
                        doca_h.doca_buf_get_refcount(MemorySegment.ofAddress(buffer), Calls.out()));
    }
}
