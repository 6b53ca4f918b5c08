package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Hot calls of the progress engine. */
public final class PeCalls {
    /** {@code DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE}. */
    public static final int SELECTIVE = doca_h.DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE();
    /** {@code DOCA_PE_EVENT_MODE_PROGRESS_ALL}. */
    public static final int ALL = doca_h.DOCA_PE_EVENT_MODE_PROGRESS_ALL();

    /** {@code doca_pe_progress}. */
    public static final String PROGRESS_NAME = "doca_pe_progress";

    private static final String REQUEST_NAME = "doca_pe_request_notification";
    private static final String CLEAR_NAME = "doca_pe_clear_notification";

    private static final MethodHandle PROGRESS =
            Symbols.downcall(PROGRESS_NAME, FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle REQUEST =
            Symbols.downcall(REQUEST_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CLEAR =
            Symbols.downcall(CLEAR_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private PeCalls() {}

    /** {@code doca_pe_progress}: 1 if something happened. */
    public static byte progress(long engine) {
        try {
            return (byte) PROGRESS.invokeExact(engine);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_pe_create}. */
    public static MemorySegment create() {
        return Calls.pointer("doca_pe_create", "creating a progress engine", doca_h::doca_pe_create);
    }

    /** {@code doca_pe_destroy}. */
    public static void destroy(MemorySegment engine) {
        Calls.check("doca_pe_destroy", "closing the progress engine", () -> doca_h.doca_pe_destroy(engine));
    }

    /** {@code doca_pe_get_num_inflight_tasks}. */
    public static long inFlight(MemorySegment engine) {
        return Calls.uint64(
                "doca_pe_get_num_inflight_tasks",
                "counting tasks",
                out -> doca_h.doca_pe_get_num_inflight_tasks(engine, out));
    }

    /** {@code doca_pe_get_notification_handle}: a file descriptor. */
    public static int notificationHandle(MemorySegment engine) {
        return (int) Calls.uint32(
                "doca_pe_get_notification_handle",
                "asking for the notification handle",
                out -> doca_h.doca_pe_get_notification_handle(engine, out));
    }

    /** {@code doca_pe_request_notification}. */
    public static void requestNotification(MemorySegment engine) {
        int code;
        try {
            code = (int) REQUEST.invokeExact(engine.address());
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
        if (code != Calls.SUCCESS) {
            throw Failures.refused(code, REQUEST_NAME, "arming the engine");
        }
    }

    /** {@code doca_pe_clear_notification}. */
    public static void clearNotification(MemorySegment engine, int handle) {
        int code;
        try {
            code = (int) CLEAR.invokeExact(engine.address(), handle);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
        if (code != Calls.SUCCESS) {
            throw Failures.refused(code, CLEAR_NAME, "disarming the engine");
        }
    }

    /** {@code doca_pe_set_event_mode}. */
    public static void setEventMode(MemorySegment engine, int mode) {
        Calls.check(
                "doca_pe_set_event_mode", "setting the event mode", () -> doca_h.doca_pe_set_event_mode(engine, mode));
    }
}
