package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of threads on a DPA, of their affinities and groups ({@code doca_dpa.h}). */
public final class DpaThreadCalls {
    private DpaThreadCalls() {}

    /** {@code doca_dpa_thread_create}. */
    public static MemorySegment create(MemorySegment dpa, String action) {
        return Calls.pointer("doca_dpa_thread_create", action, out -> doca_h.doca_dpa_thread_create(dpa, out));
    }

    /** {@code doca_dpa_thread_destroy}. */
    public static void destroy(MemorySegment thread, String action) {
        Calls.check("doca_dpa_thread_destroy", action, () -> doca_h.doca_dpa_thread_destroy(thread));
    }

    /** {@code doca_dpa_thread_set_func_arg}. */
    public static void setFunction(MemorySegment thread, MemorySegment function, long argument, String action) {
        Calls.check(
                "doca_dpa_thread_set_func_arg",
                action,
                () -> doca_h.doca_dpa_thread_set_func_arg(thread, function, argument));
    }

    /** {@code doca_dpa_thread_set_local_storage}. */
    public static void setLocalStorage(MemorySegment thread, long address, String action) {
        Calls.check(
                "doca_dpa_thread_set_local_storage",
                action,
                () -> doca_h.doca_dpa_thread_set_local_storage(thread, address));
    }

    /** {@code doca_dpa_thread_get_local_storage}. */
    public static long localStorage(MemorySegment thread, String action) {
        return Calls.uint64(
                "doca_dpa_thread_get_local_storage",
                action,
                out -> doca_h.doca_dpa_thread_get_local_storage(thread, out));
    }

    /** {@code doca_dpa_thread_set_affinity}. */
    public static void setAffinity(MemorySegment thread, MemorySegment affinity, String action) {
        Calls.check(
                "doca_dpa_thread_set_affinity", action, () -> doca_h.doca_dpa_thread_set_affinity(thread, affinity));
    }

    /** {@code doca_dpa_thread_start}. */
    public static void start(MemorySegment thread, String action) {
        Calls.check("doca_dpa_thread_start", action, () -> doca_h.doca_dpa_thread_start(thread));
    }

    /** {@code doca_dpa_thread_stop}. */
    public static void stop(MemorySegment thread, String action) {
        Calls.check("doca_dpa_thread_stop", action, () -> doca_h.doca_dpa_thread_stop(thread));
    }

    /** {@code doca_dpa_thread_run}. */
    public static void run(MemorySegment thread, String action) {
        Calls.check("doca_dpa_thread_run", action, () -> doca_h.doca_dpa_thread_run(thread));
    }

    /** {@code doca_dpa_thread_get_id}. */
    public static int id(MemorySegment thread, String action) {
        return (int) Calls.uint32("doca_dpa_thread_get_id", action, out -> doca_h.doca_dpa_thread_get_id(thread, out));
    }

    /** {@code doca_dpa_eu_affinity_create}. */
    public static MemorySegment createAffinity(MemorySegment dpa, String action) {
        return Calls.pointer(
                "doca_dpa_eu_affinity_create", action, out -> doca_h.doca_dpa_eu_affinity_create(dpa, out));
    }

    /** {@code doca_dpa_eu_affinity_destroy}. */
    public static void destroyAffinity(MemorySegment affinity, String action) {
        Calls.check("doca_dpa_eu_affinity_destroy", action, () -> doca_h.doca_dpa_eu_affinity_destroy(affinity));
    }

    /** {@code doca_dpa_eu_affinity_set}. */
    public static void setUnit(MemorySegment affinity, int unit, String action) {
        Calls.check("doca_dpa_eu_affinity_set", action, () -> doca_h.doca_dpa_eu_affinity_set(affinity, unit));
    }

    /** {@code doca_dpa_eu_affinity_get}. */
    public static int unit(MemorySegment affinity, String action) {
        return (int)
                Calls.uint32("doca_dpa_eu_affinity_get", action, out -> doca_h.doca_dpa_eu_affinity_get(affinity, out));
    }

    /** {@code doca_dpa_thread_group_create}. */
    public static MemorySegment createGroup(MemorySegment dpa, int threads, String action) {
        return Calls.pointer(
                "doca_dpa_thread_group_create", action, out -> doca_h.doca_dpa_thread_group_create(dpa, threads, out));
    }

    /** {@code doca_dpa_thread_group_destroy}. */
    public static void destroyGroup(MemorySegment group, String action) {
        Calls.check("doca_dpa_thread_group_destroy", action, () -> doca_h.doca_dpa_thread_group_destroy(group));
    }

    /** {@code doca_dpa_thread_group_set_thread}. */
    public static void setThread(MemorySegment group, MemorySegment thread, int rank, String action) {
        Calls.check(
                "doca_dpa_thread_group_set_thread",
                action,
                () -> doca_h.doca_dpa_thread_group_set_thread(group, thread, rank));
    }

    /** {@code doca_dpa_thread_group_start}. */
    public static void startGroup(MemorySegment group, String action) {
        Calls.check("doca_dpa_thread_group_start", action, () -> doca_h.doca_dpa_thread_group_start(group));
    }

    /** {@code doca_dpa_thread_group_stop}. */
    public static void stopGroup(MemorySegment group, String action) {
        Calls.check("doca_dpa_thread_group_stop", action, () -> doca_h.doca_dpa_thread_group_stop(group));
    }
}
