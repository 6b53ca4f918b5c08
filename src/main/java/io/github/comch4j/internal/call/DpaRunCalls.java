package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Calls that run functions on a DPA ({@code doca_dpa.h}). In C they take what the function takes; here always
 * {@link #ARGUMENTS} integers, of which the function reads as many as it has. To be used once there is a DPA.
 */
public final class DpaRunCalls {
    /** The most arguments that a function on the DPA can have. */
    public static final int ARGUMENTS = 16;

    private static final String RPC_NAME = "doca_dpa_rpc";
    private static final String SET_NAME = "doca_dpa_kernel_launch_update_set";
    private static final String ADD_NAME = "doca_dpa_kernel_launch_update_add";

    private static final FunctionDescriptor CALL = variadic(JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor LAUNCH =
            variadic(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final MethodHandle RPC = Symbols.downcall(RPC_NAME, CALL, Linker.Option.firstVariadicArg(3));
    private static final MethodHandle LAUNCH_AND_SET =
            Symbols.downcall(SET_NAME, LAUNCH, Linker.Option.firstVariadicArg(7));
    private static final MethodHandle LAUNCH_AND_ADD =
            Symbols.downcall(ADD_NAME, LAUNCH, Linker.Option.firstVariadicArg(7));

    private DpaRunCalls() {}

    private static FunctionDescriptor variadic(MemoryLayout... fixed) {
        List<MemoryLayout> all = new ArrayList<>(List.of(fixed));
        all.addAll(Collections.nCopies(ARGUMENTS, JAVA_LONG));
        return FunctionDescriptor.of(JAVA_INT, all.toArray(MemoryLayout[]::new));
    }

    /** {@code doca_dpa_rpc}; what the function returns. */
    public static long call(MemorySegment dpa, MemorySegment function, long[] arguments, String action) {
        long[] a = Arrays.copyOf(arguments, ARGUMENTS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment returned = arena.allocate(JAVA_LONG);
            int code = (int) RPC.invokeExact(
                    dpa.address(),
                    function.address(),
                    returned.address(),
                    a[0],
                    a[1],
                    a[2],
                    a[3],
                    a[4],
                    a[5],
                    a[6],
                    a[7],
                    a[8],
                    a[9],
                    a[10],
                    a[11],
                    a[12],
                    a[13],
                    a[14],
                    a[15]);
            new DocaAnswer(RPC_NAME, code).check(action);
            return returned.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /**
     * {@code doca_dpa_kernel_launch_update_set}, or {@code _add}.
     *
     * @param waitFor an event, or {@link MemorySegment#NULL}
     * @param threshold what it must exceed
     * @param completed an event, or {@link MemorySegment#NULL}
     * @param value what it is set to, or what is added to it
     */
    public static void launch(
            boolean add,
            MemorySegment dpa,
            MemorySegment waitFor,
            long threshold,
            MemorySegment completed,
            long value,
            int threads,
            MemorySegment function,
            long[] arguments,
            String action) {
        long[] a = Arrays.copyOf(arguments, ARGUMENTS);
        MethodHandle handle = add ? LAUNCH_AND_ADD : LAUNCH_AND_SET;
        try {
            int code = (int) handle.invokeExact(
                    dpa.address(),
                    waitFor.address(),
                    threshold,
                    completed.address(),
                    value,
                    threads,
                    function.address(),
                    a[0],
                    a[1],
                    a[2],
                    a[3],
                    a[4],
                    a[5],
                    a[6],
                    a[7],
                    a[8],
                    a[9],
                    a[10],
                    a[11],
                    a[12],
                    a[13],
                    a[14],
                    a[15]);
            new DocaAnswer(add ? ADD_NAME : SET_NAME, code).check(action);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
