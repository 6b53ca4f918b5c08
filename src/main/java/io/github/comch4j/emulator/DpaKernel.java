package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.dpa.Dpa;

/**
 * The kernel of a thread on the emulated DPA, in Java ({@code __dpa_global__} functions in C). Made known by
 * {@link JavaKernels#thread JavaKernels.thread}.
 *
 * {@snippet file="KernelInJava.java" region="kernel"}
 *
 * <p>Each notification of the thread begins a run, on an execution unit: a daemon thread of this VM. Runs of one thread
 * do not overlap, but one may be on another execution unit than the one before.
 *
 * <p>A kernel that throws, whatever it is, has failed: that is the dpa's last error, the exception is logged by the
 * {@link System.Logger} {@code io.github.comch4j}, and the thread has finished. The process goes on, and so do the
 * other kernels. That holds for {@link StackOverflowError} and for {@link OutOfMemoryError}, too, of whose log as much
 * is there as there was memory for.
 *
 * <p>A kernel must not use the objects of the host's side ({@link Dpa} and what is made of it): they may be waiting for
 * it. The VM can end while a kernel runs, and does not wait for it.
 */
@Experimental("names and defaults may change until other projects have used it")
@FunctionalInterface
public interface DpaKernel {
    /**
     * One run.
     *
     * @param dpa what the kernel can call, until it returns
     * @param argument the thread's argument
     * @return how the run ends
     * @throws Exception if the kernel has failed
     */
    KernelEnd run(KernelContext dpa, long argument) throws Exception;

    /**
     * A function that the host calls and waits for ({@code doca_dpa_rpc}, {@code __dpa_rpc__} functions in C). Made
     * known by {@link JavaKernels#rpc JavaKernels.rpc}. One that throws has failed, as kernels do; the host gets 0.
     */
    @FunctionalInterface
    interface Rpc {
        /**
         * One call.
         *
         * @param dpa what the function can call, until it returns
         * @param arguments 16, of which those that the host has not passed are 0
         * @return what the host gets
         * @throws Exception if the function has failed
         */
        long call(KernelContext dpa, long... arguments) throws Exception;
    }

    /**
     * A kernel that the host launches, on several execution units at once
     * ({@code doca_dpa_kernel_launch_update_set}, {@code _add}). Made known by
     * {@link JavaKernels#launch JavaKernels.launch}. One that throws has failed, as kernels do; the launch ends when
     * all its ranks have, in whatever way.
     */
    @FunctionalInterface
    interface Launch {
        /**
         * One rank's run.
         *
         * @param dpa what the kernel can call, until it returns; {@link KernelContext#rank} and
         *     {@link KernelContext#numThreads} say who it is
         * @param arguments 16, of which those that the host has not passed are 0
         * @throws Exception if the kernel has failed
         */
        void run(KernelContext dpa, long... arguments) throws Exception;
    }
}
