package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.call.DpaRunCalls;
import io.github.comch4j.internal.call.KernelCalls;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.Objects;

/**
 * The functions that the emulated DPA calls where a kernel is in Java.
 *
 * <p>None of them may throw, as that would end the VM; and none may be left by a jump, so that a kernel ends by
 * returning ({@code doca_emu_dpa_end_on_return}).
 */
final class KernelStubs {
    private static final FunctionDescriptor THREAD = FunctionDescriptor.ofVoid(JAVA_LONG);
    private static final FunctionDescriptor FUNCTION = FunctionDescriptor.of(
            JAVA_LONG, Collections.nCopies(DpaRunCalls.ARGUMENTS, JAVA_LONG).toArray(MemoryLayout[]::new));

    private static final MethodHandle RUN =
            method("run", MethodType.methodType(void.class, String.class, DpaKernel.class, long.class));
    private static final MethodHandle CALL =
            method("call", FUNCTION.toMethodType().insertParameterTypes(0, String.class, DpaKernel.Rpc.class));

    private KernelStubs() {}

    static MemorySegment ofThread(String name, DpaKernel kernel, Arena arena) {
        return Symbols.upcall(MethodHandles.insertArguments(RUN, 0, name, kernel), THREAD, arena);
    }

    static MemorySegment ofCall(String name, DpaKernel.Rpc function, Arena arena) {
        return Symbols.upcall(MethodHandles.insertArguments(CALL, 0, name, function), FUNCTION, arena);
    }

    @SuppressWarnings("unused") // found by its name
    private static void run(String name, DpaKernel kernel, long argument) {
        boolean again = false;
        KernelContext context = null;
        try {
            context = KernelContext.begin();
            again = Objects.requireNonNull(kernel.run(context, argument), "it returned null") == KernelEnd.RESCHEDULE;
        } catch (Throwable t) {
            fail(name, t);
        } finally {
            end(context);
            KernelCalls.endOnReturn(again);
        }
    }

    @SuppressWarnings("unused") // found by its name
    private static long call(
            String name,
            DpaKernel.Rpc function,
            long a0,
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            long a6,
            long a7,
            long a8,
            long a9,
            long a10,
            long a11,
            long a12,
            long a13,
            long a14,
            long a15) {
        KernelContext context = null;
        try { // the array of the arguments as well: it takes memory
            context = KernelContext.begin();
            return function.call(context, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
        } catch (Throwable t) {
            fail(name, t);
            return 0;
        } finally {
            end(context);
        }
    }

    private static void end(KernelContext context) {
        if (context != null) {
            context.end();
        }
    }

    /** Whatever it was, no memory among it: what takes memory to be said is left out where there is none. */
    private static void fail(String name, Throwable thrown) {
        try {
            KernelCalls.fail(name + ": " + thrown);
            Log.logger().log(System.Logger.Level.ERROR, "the kernel " + name + " has failed", thrown);
        } catch (Throwable t) {
            KernelCalls.fail();
        }
    }

    private static MethodHandle method(String name, MethodType type) {
        try {
            return MethodHandles.lookup().findStatic(KernelStubs.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
