package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of sync events ({@code doca_sync_event.h}). */
public final class SyncEventCalls {
    /** {@code doca_sync_event_stop}. */
    public static final String STOP_NAME = "doca_sync_event_stop";

    private SyncEventCalls() {}

    /** {@code doca_sync_event_create}. */
    public static MemorySegment create(String action) {
        return Calls.pointer("doca_sync_event_create", action, doca_h::doca_sync_event_create);
    }

    /** {@code doca_sync_event_destroy}. */
    public static void destroy(MemorySegment event, String action) {
        Calls.check("doca_sync_event_destroy", action, () -> doca_h.doca_sync_event_destroy(event));
    }

    /** {@code doca_sync_event_add_publisher_location_cpu}. */
    public static void publishedByCpu(MemorySegment event, MemorySegment device, String action) {
        Calls.check(
                "doca_sync_event_add_publisher_location_cpu",
                action,
                () -> doca_h.doca_sync_event_add_publisher_location_cpu(event, device));
    }

    /** {@code doca_sync_event_add_publisher_location_dpa}. */
    public static void publishedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        Calls.check(
                "doca_sync_event_add_publisher_location_dpa",
                action,
                () -> doca_h.doca_sync_event_add_publisher_location_dpa(event, dpa));
    }

    /** {@code doca_sync_event_add_subscriber_location_cpu}. */
    public static void awaitedByCpu(MemorySegment event, MemorySegment device, String action) {
        Calls.check(
                "doca_sync_event_add_subscriber_location_cpu",
                action,
                () -> doca_h.doca_sync_event_add_subscriber_location_cpu(event, device));
    }

    /** {@code doca_sync_event_add_subscriber_location_dpa}. */
    public static void awaitedByDpa(MemorySegment event, MemorySegment dpa, String action) {
        Calls.check(
                "doca_sync_event_add_subscriber_location_dpa",
                action,
                () -> doca_h.doca_sync_event_add_subscriber_location_dpa(event, dpa));
    }

    /** {@code doca_sync_event_start}. */
    public static void start(MemorySegment event, String action) {
        Calls.check("doca_sync_event_start", action, () -> doca_h.doca_sync_event_start(event));
    }

    /** {@code doca_sync_event_stop}; {@code doca_error_t}. */
    public static int stop(MemorySegment event) {
        return Calls.code(STOP_NAME, () -> doca_h.doca_sync_event_stop(event));
    }

    /** {@code doca_sync_event_get_dpa_handle}. */
    public static long handle(MemorySegment event, MemorySegment dpa, String action) {
        return Calls.uint64(
                "doca_sync_event_get_dpa_handle",
                action,
                out -> doca_h.doca_sync_event_get_dpa_handle(event, dpa, out));
    }

    /** {@code doca_sync_event_get}. */
    public static long value(MemorySegment event, String action) {
        return Calls.uint64("doca_sync_event_get", action, out -> doca_h.doca_sync_event_get(event, out));
    }

    /** {@code doca_sync_event_update_add}: what the value was. */
    public static long add(MemorySegment event, long value, String action) {
        return Calls.uint64(
                "doca_sync_event_update_add", action, out -> doca_h.doca_sync_event_update_add(event, value, out));
    }

    /** {@code doca_sync_event_update_set}. */
    public static void set(MemorySegment event, long value, String action) {
        Calls.check("doca_sync_event_update_set", action, () -> doca_h.doca_sync_event_update_set(event, value));
    }
}
