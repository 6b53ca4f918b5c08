package io.github.comch4j.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Hot calls of buffers. */
public final class BufferCalls {
    private static final MethodHandle SET_DATA = Symbols.downcall("doca_buf_set_data",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GET_DATA_LENGTH = Symbols.downcall("doca_buf_get_data_len",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private static final MethodHandle RESET_DATA_LENGTH = Symbols.downcall("doca_buf_reset_data_len",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    private BufferCalls() {
    }

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
}
