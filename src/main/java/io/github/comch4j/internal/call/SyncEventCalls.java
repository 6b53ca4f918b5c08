package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Answer;
import java.lang.foreign.MemorySegment;

/** Calls of sync events ({@code doca_sync_event.h}). */
public final class SyncEventCalls {
    private SyncEventCalls() {}

    /** {@code doca_sync_event_create}. */
    public static MemorySegment create(String action) {
        return Calls.pointer(action, doca_h.doca_sync_event_create(Calls.out()));
    }

    /** {@code doca_sync_event_destroy}. */
    public static void destroy(MemorySegment event, String action) {
        doca_h.doca_sync_event_destroy(event).check(action);
    }

    /** {@code doca_sync_event_add_publisher_location_cpu}. */
    public static void publishedByCpu(MemorySegment event, MemorySegment device, String action) {
        doca_h.doca_sync_event_add_publisher_location_cpu(event, device).check(action);
    }

    /** {@code doca_sync_event_add_publisher_location_dpa}. */
    public static void publishedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        doca_h.doca_sync_event_add_publisher_location_dpa(event, dpa).check(action);
    }

    /** {@code doca_sync_event_add_subscriber_location_cpu}. */
    public static void awaitedByCpu(MemorySegment event, MemorySegment device, String action) {
        doca_h.doca_sync_event_add_subscriber_location_cpu(event, device).check(action);
    }

    /** {@code doca_sync_event_add_subscriber_location_dpa}. */
    public static void awaitedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        doca_h.doca_sync_event_add_subscriber_location_dpa(event, dpa).check(action);
    }

    /** {@code doca_sync_event_start}. */
    public static void start(MemorySegment event, String action) {
        doca_h.doca_sync_event_start(event).check(action);
    }

    /** {@code doca_sync_event_stop}. */
    public static Answer stop(MemorySegment event) {
        return doca_h.doca_sync_event_stop(event);
    }

    /** {@code doca_sync_event_get_dpa_handle}. */
    public static long handle(MemorySegment event, MemorySegment dpa, String action) {
        return Calls.uint64(action, doca_h.doca_sync_event_get_dpa_handle(event, dpa, Calls.out()));
    }

    /** {@code doca_sync_event_get}. */
    public static long value(MemorySegment event, String action) {
        return Calls.uint64(action, doca_h.doca_sync_event_get(event, Calls.out()));
    }

    /** {@code doca_sync_event_update_add}: what the value was. */
    public static long add(MemorySegment event, long value, String action) {
        return Calls.uint64(action, doca_h.doca_sync_event_update_add(event, value, Calls.out()));
    }

    /** {@code doca_sync_event_update_set}. */
    public static void set(MemorySegment event, long value, String action) {
        doca_h.doca_sync_event_update_set(event, value).check(action);
    }
}
