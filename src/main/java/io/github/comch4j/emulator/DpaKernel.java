package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.dpa.Dpa;

/**
 * The kernel of a thread on the emulated DPA, in Java (the equivalent of {@code __dpa_global__} functions in C). Pass
 * it to {@link JavaKernels#thread JavaKernels.thread}.
 *
 * {@snippet file="KernelInJava.java" region="kernel"}
 *
 * <p>Each notification of the thread begins a run on an execution unit, which is a daemon thread of this VM. Runs of
 * one thread do not overlap, but consecutive runs may be on different execution units.
 *
 * <p>A kernel that throws any exception or error has failed. The failure becomes the DPA's last error, the
 * {@link System.Logger} {@code io.github.comch4j} logs the exception, and the thread has finished. The process and the
 * other kernels continue. This also applies to {@link StackOverflowError} and {@link OutOfMemoryError}; for the latter,
 * the log has as much as the memory left allows.
 *
 * <p>A kernel must not use the objects of the host's side ({@link Dpa} and the objects created from it), because they
 * may be waiting for the kernel. The VM does not wait for a kernel and can end while one runs.
 */
@Experimental("names and defaults may change until other projects have used it")
@FunctionalInterface
public interface DpaKernel {
    /**
     * Runs the kernel once.
     *
     * @param dpa the functions that the kernel can call, until it returns
     * @param argument the thread's argument
     * @return how the run ends
     * @throws Exception if the kernel has failed
     */
    KernelEnd run(KernelContext dpa, long argument) throws Exception;

    /**
     * A function that the host calls and waits for ({@code doca_dpa_rpc}, {@code __dpa_rpc__} functions in C). Pass it
     * to {@link JavaKernels#rpc JavaKernels.rpc}. A function that throws has failed, as a kernel does; the host gets 0.
     */
    @FunctionalInterface
    interface Rpc {
        /**
         * Runs the function for one call.
         *
         * @param dpa the functions that this function can call, until it returns
         * @param arguments 16 numbers; those that the host did not pass are 0
         * @return the result for the host
         * @throws Exception if the function has failed
         */
        long call(KernelContext dpa, long... arguments) throws Exception;
    }

    /**
     * A kernel that the host launches on several execution units at once ({@code doca_dpa_kernel_launch_update_set},
     * {@code _add}). Pass it to {@link JavaKernels#launch JavaKernels.launch}. A kernel that throws has failed, as the
     * kernel of a thread does. The launch ends when all its ranks have ended, whether or not they failed.
     */
    @FunctionalInterface
    interface Launch {
        /**
         * Runs the kernel for one rank.
         *
         * @param dpa the functions that the kernel can call, until it returns; {@link KernelContext#rank} and
         *     {@link KernelContext#numThreads} identify this rank
         * @param arguments 16 numbers; those that the host did not pass are 0
         * @throws Exception if the kernel has failed
         */
        void run(KernelContext dpa, long... arguments) throws Exception;
    }
}
