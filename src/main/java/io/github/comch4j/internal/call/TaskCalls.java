package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_data;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Hot calls of tasks of any type, on their view as {@code struct doca_task}. */
public final class TaskCalls {
    /** {@code doca_task_submit}. */
    public static final String SUBMIT_NAME = "doca_task_submit";

    private static final MethodHandle SUBMIT =
            Symbols.downcall("doca_task_submit", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle FREE = Symbols.downcall("doca_task_free", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle STATUS =
            Symbols.downcall("doca_task_get_status", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle SET_USER_DATA =
            Symbols.downcall("doca_task_set_user_data", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    private TaskCalls() {}

    /** {@code doca_task_submit}. */
    public static int submit(long task) {
        try {
            return (int) SUBMIT.invokeExact(task);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_task_free}. */
    public static void free(long task) {
        try {
            FREE.invokeExact(task);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_task_get_status}. */
    public static int status(long task) {
        try {
            return (int) STATUS.invokeExact(task);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_task_get_user_data}; not hot. */
    public static long userData(long task) {
        try (Arena arena = Arena.ofConfined()) {
            present("doca_task_get_user_data");
            return doca_data.u64(doca_h.doca_task_get_user_data(arena, MemorySegment.ofAddress(task)));
        }
    }

    /** {@code doca_task_set_user_data}. */
    public static void setUserData(long task, long userData) {
        try {
            SET_USER_DATA.invokeExact(task, userData);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
