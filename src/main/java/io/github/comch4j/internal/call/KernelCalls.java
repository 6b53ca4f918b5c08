package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.github.comch4j.ffi.dpa.doca_dpa_dev_buf;
import io.github.comch4j.ffi.dpa.doca_dpa_dev_buf_arr;
import io.github.comch4j.internal.load.LateLibrary;
import io.github.comch4j.internal.load.NativeAccess;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What kernels call ({@code doca_dpa_dev*.h}, {@code doca_emu_dpa.h}) and the bindings do not have in that shape: for
 * kernels of the emulated DPA, whose threads are threads of this process. Objects are numbers. Misuse is the DPA's last
 * error, and answers nothing.
 * */
public final class KernelCalls {

    private static final String END_NAME = "doca_emu_dpa_end_on_return";

    static {
        LateLibrary.DPA.found(); // before its functions are looked up
    }

    private static final MethodHandle FAIL =
            Symbols.downcall("doca_emu_dpa_fail", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle END_ON_RETURN = Symbols.downcall(END_NAME, FunctionDescriptor.ofVoid(JAVA_INT));

    private static final MethodHandle LOG = Symbols.downcall(
            "doca_dpa_dev_log",
            FunctionDescriptor.ofVoid(JAVA_INT, ADDRESS, ADDRESS),
            Linker.Option.firstVariadicArg(2));
    private static final MemorySegment LOG_FORMAT = Arena.global().allocateFrom("%s");

    private static final MemorySegment MEMORY = NativeAccess.allMemory();

    private static final MethodHandle IMMEDIATE = Symbols.downcall(
            "doca_dpa_dev_comch_consumer_get_completion_imm", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private KernelCalls() {}

    /** Whether the libraries in use have an emulated DPA. */
    public static boolean present() {
        return LateLibrary.DPA.load() && Symbols.find(END_NAME).isPresent();
    }

    /** {@code doca_emu_dpa_fail}. */
    public static void fail(String what) {
        try (Arena arena = Arena.ofConfined()) {
            FAIL.invokeExact(arena.allocateFrom(what).address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_emu_dpa_fail}, for want of memory to say more. */
    public static void fail() {
        try {
            FAIL.invokeExact(0L);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_emu_dpa_end_on_return}. */
    public static void endOnReturn(boolean again) {
        try {
            END_ON_RETURN.invokeExact(again ? 1 : 0);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Memory of this process; what is there is not checked. */
    public static MemorySegment memory(long address, long bytes) {
        return MEMORY.asSlice(address, bytes);
    }

    /** {@code doca_dpa_dev_log}. The text is an argument of a format: it may have a percent sign. */
    public static void log(int level, String text) {
        try (Arena arena = Arena.ofConfined()) {
            LOG.invokeExact(level, LOG_FORMAT, arena.allocateFrom(text));
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /**
     * {@code doca_dpa_dev_comch_consumer_get_completion_imm}: copies it, and returns its length.
     *
     * @param length room for an int
     */
    public static int immediate(long element, MemorySegment length, MemorySegment target) {
        long immediate;
        try {
            immediate = (long) IMMEDIATE.invokeExact(element, length.address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
        if (immediate == 0) {
            return 0; // the completion has ended since
        }
        int bytes = length.get(JAVA_INT, 0);
        MemorySegment.copy(MEMORY, immediate, target, 0, bytes);
        return bytes;
    }

    /** {@code doca_dpa_dev_buf_array_get_buf}. */
    public static long bufferOf(long array, long index) {
        return MEMORY.get(JAVA_LONG, array + doca_dpa_dev_buf_arr.bufs$offset()) + index * doca_dpa_dev_buf.sizeof();
    }

    /** {@code doca_dpa_dev_buf_get_addr}. */
    public static long bufferAddress(long buffer) {
        return MEMORY.get(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.addr$offset());
    }

    /** {@code doca_dpa_dev_buf_set_addr}. */
    public static void setBufferAddress(long buffer, long address) {
        MEMORY.set(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.addr$offset(), address);
    }

    /** {@code doca_dpa_dev_buf_get_len}. */
    public static long bufferLength(long buffer) {
        return MEMORY.get(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.len$offset());
    }

    /** {@code doca_dpa_dev_buf_set_len}. */
    public static void setBufferLength(long buffer, long length) {
        MEMORY.set(JAVA_LONG_UNALIGNED, buffer + doca_dpa_dev_buf.len$offset(), length);
    }

    /** {@code doca_dpa_dev_buf_get_mmap}. */
    public static int bufferMap(long buffer) {
        return MEMORY.get(JAVA_INT_UNALIGNED, buffer + doca_dpa_dev_buf.mmap$offset());
    }

    /** {@code doca_dpa_dev_buf_set_mmap}. */
    public static void setBufferMap(long buffer, int map) {
        MEMORY.set(JAVA_INT_UNALIGNED, buffer + doca_dpa_dev_buf.mmap$offset(), map);
    }
}
