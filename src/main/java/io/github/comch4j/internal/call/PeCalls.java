package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
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

    /** Apart, so that the constants can be had without the libraries. */
    private static final class Hot {
        static final MethodHandle PROGRESS =
                Symbols.downcall("doca_pe_progress", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));

        private Hot() {}
    }

    private PeCalls() {}

    /** {@code doca_pe_progress}: 1 if something happened. */
    public static byte progress(long engine) {
        try {
            return (byte) Hot.PROGRESS.invokeExact(engine);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_pe_create}. */
    public static MemorySegment create() {
        return present("doca_pe_create").pointer("creating a progress engine", doca_h.doca_pe_create(Calls.out()));
    }

    /** {@code doca_pe_destroy}. */
    public static void destroy(MemorySegment engine) {
        present("doca_pe_destroy").check("closing the progress engine", doca_h.doca_pe_destroy(engine));
    }

    /** {@code doca_pe_get_num_inflight_tasks}. */
    public static long inFlight(MemorySegment engine) {
        return present("doca_pe_get_num_inflight_tasks")
                .value("counting tasks in flight", doca_h.doca_pe_get_num_inflight_tasks(engine, Calls.out()));
    }

    /** {@code doca_pe_get_notification_handle}: a file descriptor. */
    public static int notificationHandle(MemorySegment engine) {
        return present("doca_pe_get_notification_handle")
                .number(
                        "asking for the notification handle",
                        doca_h.doca_pe_get_notification_handle(engine, Calls.out()));
    }

    /** {@code doca_pe_request_notification}. */
    public static void requestNotification(MemorySegment engine) {
        present("doca_pe_request_notification").check("arming the engine", doca_h.doca_pe_request_notification(engine));
    }

    /** {@code doca_pe_clear_notification}. */
    public static void clearNotification(MemorySegment engine, int handle) {
        present("doca_pe_clear_notification")
                .check("disarming the engine", doca_h.doca_pe_clear_notification(engine, handle));
    }

    /** {@code doca_pe_set_event_mode}. */
    public static void setEventMode(MemorySegment engine, int mode) {
        present("doca_pe_set_event_mode").check("setting the event mode", doca_h.doca_pe_set_event_mode(engine, mode));
    }
}
