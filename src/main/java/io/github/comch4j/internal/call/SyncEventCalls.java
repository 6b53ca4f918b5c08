package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import java.lang.foreign.MemorySegment;

/** Calls of sync events ({@code doca_sync_event.h}). */
public final class SyncEventCalls {
    private SyncEventCalls() {}

    /** {@code doca_sync_event_create}. */
    public static MemorySegment create(String action) {
        return present("doca_sync_event_create").pointer(action, doca_h.doca_sync_event_create(Calls.out()));
    }

    /** {@code doca_sync_event_destroy}. */
    public static void destroy(MemorySegment event, String action) {
        present("doca_sync_event_destroy").check(action, doca_h.doca_sync_event_destroy(event));
    }

    /** {@code doca_sync_event_add_publisher_location_cpu}. */
    public static void publishedByCpu(MemorySegment event, MemorySegment device, String action) {
        present("doca_sync_event_add_publisher_location_cpu")
                .check(action, doca_h.doca_sync_event_add_publisher_location_cpu(event, device));
    }

    /** {@code doca_sync_event_add_publisher_location_dpa}. */
    public static void publishedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        present("doca_sync_event_add_publisher_location_dpa")
                .check(action, doca_h.doca_sync_event_add_publisher_location_dpa(event, dpa));
    }

    /** {@code doca_sync_event_add_subscriber_location_cpu}. */
    public static void awaitedByCpu(MemorySegment event, MemorySegment device, String action) {
        present("doca_sync_event_add_subscriber_location_cpu")
                .check(action, doca_h.doca_sync_event_add_subscriber_location_cpu(event, device));
    }

    /** {@code doca_sync_event_add_subscriber_location_dpa}. */
    public static void awaitedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        present("doca_sync_event_add_subscriber_location_dpa")
                .check(action, doca_h.doca_sync_event_add_subscriber_location_dpa(event, dpa));
    }

    /** {@code doca_sync_event_start}. */
    public static void start(MemorySegment event, String action) {
        present("doca_sync_event_start").check(action, doca_h.doca_sync_event_start(event));
    }

    /** {@code doca_sync_event_stop}. */
    public static DocaAnswer stop(MemorySegment event) {
        return present("doca_sync_event_stop").answer(doca_h.doca_sync_event_stop(event));
    }

    /** {@code doca_sync_event_get_dpa_handle}. */
    public static long handle(MemorySegment event, MemorySegment dpa, String action) {
        return present("doca_sync_event_get_dpa_handle")
                .value(action, doca_h.doca_sync_event_get_dpa_handle(event, dpa, Calls.out()));
    }

    /** {@code doca_sync_event_get}. */
    public static long value(MemorySegment event, String action) {
        return present("doca_sync_event_get").value(action, doca_h.doca_sync_event_get(event, Calls.out()));
    }

    /** {@code doca_sync_event_update_add}: what the value was. */
    public static long add(MemorySegment event, long value, String action) {
        return present("doca_sync_event_update_add")
                .value(action, doca_h.doca_sync_event_update_add(event, value, Calls.out()));
    }

    /** {@code doca_sync_event_update_set}. */
    public static void set(MemorySegment event, long value, String action) {
        present("doca_sync_event_update_set").check(action, doca_h.doca_sync_event_update_set(event, value));
    }
}
