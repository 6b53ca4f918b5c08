package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.dpa.DpaFunction;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.KernelCalls;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Creates functions of a DPA from Java code. This works only on the emulated DPA, whose execution units are threads of
 * this process. Any thread may use it.
 *
 * {@snippet file="KernelInJava.java" region="host"}
 *
 * <p>A function lives as long as the {@link Dpa} for which it was created. You can use it on this DPA and on those that
 * {@linkplain Dpa#extend extend} it. Programs for a card need kernels in C ({@link DpaApplication}).
 */
@Experimental("names and defaults may change until other projects have used it")
public final class JavaKernels {
    private static final Function<Dpa, BiFunction<String, Function<Arena, MemorySegment>, DpaFunction>> MAKER =
            Internals.of(Dpa.class);

    private final Dpa dpa;

    private JavaKernels(Dpa dpa) {
        this.dpa = dpa;
    }

    /**
     * Returns an object that creates functions for a DPA.
     *
     * @param dpa a DPA on the emulated device; it needs no application
     * @return the creator of functions
     * @throws UnsupportedOperationException with a real device
     */
    public static JavaKernels of(Dpa dpa) {
        Objects.requireNonNull(dpa);
        if (!KernelCalls.present()) {
            throw new UnsupportedOperationException("kernels in Java run only on the emulated DPA; "
                    + NativeLibrary.describe() + " need kernels that were compiled with DPACC");
        }
        return new JavaKernels(dpa);
    }

    /**
     * Creates a kernel for {@link Dpa#thread}.
     *
     * @param name its name in messages
     * @param kernel the code that runs at each notification
     * @return the function
     * @throws IllegalStateException if the DPA is closed
     */
    public DpaFunction thread(String name, DpaKernel kernel) {
        Objects.requireNonNull(kernel);
        return make(name, arena -> KernelStubs.ofThread(name, kernel, arena));
    }

    /**
     * Creates a function for {@link Dpa#rpc}.
     *
     * @param name its name in messages
     * @param function the code that runs at each call
     * @return the function
     * @throws IllegalStateException if the DPA is closed
     */
    public DpaFunction rpc(String name, DpaKernel.Rpc function) {
        Objects.requireNonNull(function);
        return make(name, arena -> KernelStubs.ofCall(name, function, arena));
    }

    /**
     * Creates a kernel for launches.
     *
     * @param name its name in messages
     * @param kernel the code that each rank runs
     * @return the function
     * @throws IllegalStateException if the DPA is closed
     */
    public DpaFunction launch(String name, DpaKernel.Launch kernel) {
        Objects.requireNonNull(kernel);
        DpaKernel.Rpc function = (context, arguments) -> {
            kernel.run(context, arguments);
            return 0;
        };
        return rpc(name, function);
    }

    private DpaFunction make(String name, Function<Arena, MemorySegment> stub) {
        Objects.requireNonNull(name);
        return MAKER.apply(dpa).apply(name, stub);
    }
}
