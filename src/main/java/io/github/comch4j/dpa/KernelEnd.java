package io.github.comch4j.dpa;

/** How a run of a thread's kernel ends. */
public enum KernelEnd {
    /** The next notification begins another run ({@code doca_dpa_dev_thread_reschedule}). */
    RESCHEDULE,
    /** The thread has finished: it runs no more ({@code doca_dpa_dev_thread_finish}). */
    FINISH
}
