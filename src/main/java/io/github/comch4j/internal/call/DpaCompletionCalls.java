package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of the completions of a DPA ({@code doca_dpa.h}), and of what is attached to them. */
public final class DpaCompletionCalls {
    /** {@code DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA}: the bits of the user data that completions carry. */
    public static final int USER_DATA_BITS = doca_h.DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA();

    private DpaCompletionCalls() {}

    /** {@code doca_dpa_completion_create}. */
    public static MemorySegment create(MemorySegment dpa, int elements, String action) {
        return present("doca_dpa_completion_create")
                .pointer(action, doca_h.doca_dpa_completion_create(dpa, elements, Calls.out()));
    }

    /** {@code doca_dpa_completion_destroy}. */
    public static void destroy(MemorySegment completion, String action) {
        present("doca_dpa_completion_destroy").check(action, doca_h.doca_dpa_completion_destroy(completion));
    }

    /** {@code doca_dpa_completion_get_queue_size}. */
    public static int size(MemorySegment completion, String action) {
        return present("doca_dpa_completion_get_queue_size")
                .number(action, doca_h.doca_dpa_completion_get_queue_size(completion, Calls.out()));
    }

    /** {@code doca_dpa_completion_set_thread}. */
    public static void setThread(MemorySegment completion, MemorySegment thread, String action) {
        present("doca_dpa_completion_set_thread")
                .check(action, doca_h.doca_dpa_completion_set_thread(completion, thread));
    }

    /** {@code doca_dpa_completion_start}. */
    public static void start(MemorySegment completion, String action) {
        present("doca_dpa_completion_start").check(action, doca_h.doca_dpa_completion_start(completion));
    }

    /** {@code doca_dpa_completion_stop}. */
    public static void stop(MemorySegment completion, String action) {
        present("doca_dpa_completion_stop").check(action, doca_h.doca_dpa_completion_stop(completion));
    }

    /** {@code doca_dpa_completion_get_dpa_handle}. */
    public static long handle(MemorySegment completion, String action) {
        return present("doca_dpa_completion_get_dpa_handle")
                .value(action, doca_h.doca_dpa_completion_get_dpa_handle(completion, Calls.out()));
    }

    /** {@code doca_dpa_notification_completion_create}. */
    public static MemorySegment createNotification(MemorySegment dpa, MemorySegment thread, String action) {
        return present("doca_dpa_notification_completion_create")
                .pointer(action, doca_h.doca_dpa_notification_completion_create(dpa, thread, Calls.out()));
    }

    /** {@code doca_dpa_notification_completion_destroy}. */
    public static void destroyNotification(MemorySegment notification, String action) {
        present("doca_dpa_notification_completion_destroy")
                .check(action, doca_h.doca_dpa_notification_completion_destroy(notification));
    }

    /** {@code doca_dpa_notification_completion_start}. */
    public static void startNotification(MemorySegment notification, String action) {
        present("doca_dpa_notification_completion_start")
                .check(action, doca_h.doca_dpa_notification_completion_start(notification));
    }

    /** {@code doca_dpa_notification_completion_stop}. */
    public static void stopNotification(MemorySegment notification, String action) {
        present("doca_dpa_notification_completion_stop")
                .check(action, doca_h.doca_dpa_notification_completion_stop(notification));
    }

    /** {@code doca_dpa_notification_completion_get_dpa_handle}. */
    public static long notificationHandle(MemorySegment notification, String action) {
        return present("doca_dpa_notification_completion_get_dpa_handle")
                .value(action, doca_h.doca_dpa_notification_completion_get_dpa_handle(notification, Calls.out()));
    }

    /** {@code doca_dpa_async_ops_create}. */
    public static MemorySegment createOperations(MemorySegment dpa, int size, long userData, String action) {
        return present("doca_dpa_async_ops_create")
                .pointer(action, doca_h.doca_dpa_async_ops_create(dpa, size, userData, Calls.out()));
    }

    /** {@code doca_dpa_async_ops_destroy}. */
    public static void destroyOperations(MemorySegment operations, String action) {
        present("doca_dpa_async_ops_destroy").check(action, doca_h.doca_dpa_async_ops_destroy(operations));
    }

    /** {@code doca_dpa_async_ops_get_queue_size}. */
    public static int operationsSize(MemorySegment operations, String action) {
        return present("doca_dpa_async_ops_get_queue_size")
                .number(action, doca_h.doca_dpa_async_ops_get_queue_size(operations, Calls.out()));
    }

    /** {@code doca_dpa_async_ops_attach}. */
    public static void attachOperations(MemorySegment operations, MemorySegment completion, String action) {
        present("doca_dpa_async_ops_attach").check(action, doca_h.doca_dpa_async_ops_attach(operations, completion));
    }

    /** {@code doca_dpa_async_ops_start}. */
    public static void startOperations(MemorySegment operations, String action) {
        present("doca_dpa_async_ops_start").check(action, doca_h.doca_dpa_async_ops_start(operations));
    }

    /** {@code doca_dpa_async_ops_stop}. */
    public static void stopOperations(MemorySegment operations, String action) {
        present("doca_dpa_async_ops_stop").check(action, doca_h.doca_dpa_async_ops_stop(operations));
    }

    /** {@code doca_dpa_async_ops_get_dpa_handle}. */
    public static long operationsHandle(MemorySegment operations, String action) {
        return present("doca_dpa_async_ops_get_dpa_handle")
                .value(action, doca_h.doca_dpa_async_ops_get_dpa_handle(operations, Calls.out()));
    }
}
