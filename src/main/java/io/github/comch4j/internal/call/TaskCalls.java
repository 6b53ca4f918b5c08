package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Hot calls of tasks of any type, on their view as {@code struct doca_task}. */
public final class TaskCalls {
    /** {@code doca_task_submit}. */
    public static final String SUBMIT_NAME = "doca_task_submit";

    private TaskCalls() {}

    /** {@code doca_task_submit}. */
    public static int submit(long task) {
        return doca_h.doca_task_submit$hot(task);
    }

    /** {@code doca_task_free}. */
    public static void free(long task) {
        doca_h.doca_task_free$hot(task);
    }

    /** {@code doca_task_get_status}. */
    public static int status(long task) {
        return doca_h.doca_task_get_status$hot(task);
    }

    /** {@code doca_task_get_user_data}; not hot. */
    public static long userData(long task) {
        return doca_h.doca_task_get_user_data(MemorySegment.ofAddress(task));
    }

    /** {@code doca_task_set_user_data}. */
    public static void setUserData(long task, long userData) {
        doca_h.doca_task_set_user_data$hot(task, userData);
    }
}
