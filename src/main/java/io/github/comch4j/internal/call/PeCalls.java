package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Answer;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;

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

    /** Called for each sleep, so nothing is allocated; who sleeps has asked for the handle, and they are there. */
    private static final class Notification {
        static final MemorySegment REQUEST = Symbols.find(REQUEST_NAME).orElse(MemorySegment.NULL);
        static final MemorySegment CLEAR = Symbols.find(CLEAR_NAME).orElse(MemorySegment.NULL);

        private Notification() {}
    }

    private PeCalls() {}

    /** {@code doca_pe_progress}: 1 if something happened. */
    public static byte progress(long engine) {
        return doca_h.doca_pe_progress$hot(engine);
    }

    /** {@code doca_pe_create}. */
    public static MemorySegment create() {
        return Calls.pointer("creating a progress engine", doca_h.doca_pe_create(Calls.out()));
    }

    /** {@code doca_pe_destroy}. */
    public static void destroy(MemorySegment engine) {
        doca_h.doca_pe_destroy(engine).check("closing the progress engine");
    }

    /** {@code doca_pe_get_num_inflight_tasks}. */
    public static long inFlight(MemorySegment engine) {
        return Calls.uint64("counting tasks", doca_h.doca_pe_get_num_inflight_tasks(engine, Calls.out()));
    }

    /** {@code doca_pe_get_notification_handle}: a file descriptor. */
    public static int notificationHandle(MemorySegment engine) {
        return (int) Calls.uint32(
                "asking for the notification handle", doca_h.doca_pe_get_notification_handle(engine, Calls.out()));
    }

    /** {@code doca_pe_request_notification}. */
    public static void requestNotification(MemorySegment engine) {
        int code = (int) Symbols.call(Notification.REQUEST, engine.address(), 0, 0);
        if (code != Calls.SUCCESS) {
            throw new Answer(REQUEST_NAME, code).refused("arming the engine");
        }
    }

    /** {@code doca_pe_clear_notification}. */
    public static void clearNotification(MemorySegment engine, int handle) {
        int code = (int) Symbols.call(Notification.CLEAR, engine.address(), handle, 0);
        if (code != Calls.SUCCESS) {
            throw new Answer(CLEAR_NAME, code).refused("disarming the engine");
        }
    }

    /** {@code doca_pe_set_event_mode}. */
    public static void setEventMode(MemorySegment engine, int mode) {
        doca_h.doca_pe_set_event_mode(engine, mode).check("setting the event mode");
    }
}
