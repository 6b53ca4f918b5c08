package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;

/** How a run of a thread's kernel ends. */
@Experimental("names and defaults may change until other projects have used it")
public enum KernelEnd {
    /** The next notification begins another run ({@code doca_dpa_dev_thread_reschedule}). */
    RESCHEDULE,
    /** The thread has finished and runs no more ({@code doca_dpa_dev_thread_finish}). */
    FINISH
}
