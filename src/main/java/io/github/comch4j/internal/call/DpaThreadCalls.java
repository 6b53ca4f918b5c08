package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of threads on a DPA, of their affinities and groups ({@code doca_dpa.h}). */
public final class DpaThreadCalls {
    private DpaThreadCalls() {}

    /** {@code doca_dpa_thread_create}. */
    public static MemorySegment create(MemorySegment dpa, String action) {
        return present("doca_dpa_thread_create").pointer(action, doca_h.doca_dpa_thread_create(dpa, Calls.out()));
    }

    /** {@code doca_dpa_thread_destroy}. */
    public static void destroy(MemorySegment thread, String action) {
        present("doca_dpa_thread_destroy").check(action, doca_h.doca_dpa_thread_destroy(thread));
    }

    /** {@code doca_dpa_thread_set_func_arg}. */
    public static void setFunction(MemorySegment thread, MemorySegment function, long argument, String action) {
        present("doca_dpa_thread_set_func_arg")
                .check(action, doca_h.doca_dpa_thread_set_func_arg(thread, function, argument));
    }

    /** {@code doca_dpa_thread_set_local_storage}. */
    public static void setLocalStorage(MemorySegment thread, long address, String action) {
        present("doca_dpa_thread_set_local_storage")
                .check(action, doca_h.doca_dpa_thread_set_local_storage(thread, address));
    }

    /** {@code doca_dpa_thread_set_affinity}. */
    public static void setAffinity(MemorySegment thread, MemorySegment affinity, String action) {
        present("doca_dpa_thread_set_affinity").check(action, doca_h.doca_dpa_thread_set_affinity(thread, affinity));
    }

    /** {@code doca_dpa_thread_start}. */
    public static void start(MemorySegment thread, String action) {
        present("doca_dpa_thread_start").check(action, doca_h.doca_dpa_thread_start(thread));
    }

    /** {@code doca_dpa_thread_stop}. */
    public static void stop(MemorySegment thread, String action) {
        present("doca_dpa_thread_stop").check(action, doca_h.doca_dpa_thread_stop(thread));
    }

    /** {@code doca_dpa_thread_run}. */
    public static void run(MemorySegment thread, String action) {
        present("doca_dpa_thread_run").check(action, doca_h.doca_dpa_thread_run(thread));
    }

    /** {@code doca_dpa_thread_get_id}. */
    public static int id(MemorySegment thread, String action) {
        return present("doca_dpa_thread_get_id").number(action, doca_h.doca_dpa_thread_get_id(thread, Calls.out()));
    }

    /** {@code doca_dpa_eu_affinity_create}. */
    public static MemorySegment createAffinity(MemorySegment dpa, String action) {
        return present("doca_dpa_eu_affinity_create")
                .pointer(action, doca_h.doca_dpa_eu_affinity_create(dpa, Calls.out()));
    }

    /** {@code doca_dpa_eu_affinity_destroy}. */
    public static void destroyAffinity(MemorySegment affinity, String action) {
        present("doca_dpa_eu_affinity_destroy").check(action, doca_h.doca_dpa_eu_affinity_destroy(affinity));
    }

    /** {@code doca_dpa_eu_affinity_set}. */
    public static void setUnit(MemorySegment affinity, int unit, String action) {
        present("doca_dpa_eu_affinity_set").check(action, doca_h.doca_dpa_eu_affinity_set(affinity, unit));
    }

    /** {@code doca_dpa_thread_group_create}. */
    public static MemorySegment createGroup(MemorySegment dpa, int threads, String action) {
        return present("doca_dpa_thread_group_create")
                .pointer(action, doca_h.doca_dpa_thread_group_create(dpa, threads, Calls.out()));
    }

    /** {@code doca_dpa_thread_group_destroy}. */
    public static void destroyGroup(MemorySegment group, String action) {
        present("doca_dpa_thread_group_destroy").check(action, doca_h.doca_dpa_thread_group_destroy(group));
    }

    /** {@code doca_dpa_thread_group_set_thread}. */
    public static void setThread(MemorySegment group, MemorySegment thread, int rank, String action) {
        present("doca_dpa_thread_group_set_thread")
                .check(action, doca_h.doca_dpa_thread_group_set_thread(group, thread, rank));
    }

    /** {@code doca_dpa_thread_group_start}. */
    public static void startGroup(MemorySegment group, String action) {
        present("doca_dpa_thread_group_start").check(action, doca_h.doca_dpa_thread_group_start(group));
    }

    /** {@code doca_dpa_thread_group_stop}. */
    public static void stopGroup(MemorySegment group, String action) {
        present("doca_dpa_thread_group_stop").check(action, doca_h.doca_dpa_thread_group_stop(group));
    }
}
