package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DpaLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToIntBiFunction;

/** Calls of DPAs ({@code doca_dpa.h}): their life, settings and sizes. */
public final class DpaCalls {
    /** {@code DOCA_DPA_DEV_LOG_LEVEL_DISABLE}. */
    public static final int LOG_OFF = doca_h.DOCA_DPA_DEV_LOG_LEVEL_DISABLE();
    /** {@code DOCA_DPA_DEV_LOG_LEVEL_ERROR}. */
    public static final int LOG_ERROR = doca_h.DOCA_DPA_DEV_LOG_LEVEL_ERROR();
    /** {@code DOCA_DPA_DEV_LOG_LEVEL_WARNING}. */
    public static final int LOG_WARNING = doca_h.DOCA_DPA_DEV_LOG_LEVEL_WARNING();
    /** {@code DOCA_DPA_DEV_LOG_LEVEL_INFO}. */
    public static final int LOG_INFO = doca_h.DOCA_DPA_DEV_LOG_LEVEL_INFO();
    /** {@code DOCA_DPA_DEV_LOG_LEVEL_DEBUG}. */
    public static final int LOG_DEBUG = doca_h.DOCA_DPA_DEV_LOG_LEVEL_DEBUG();

    /** {@code doca_dpa_peek_at_last_error}. */
    public static final String LAST_ERROR_NAME = "doca_dpa_peek_at_last_error";

    private static final String CREATE_NAME = "doca_dpa_create";
    private static final int LONGEST_PATH = 4096;

    private DpaCalls() {}

    /** Loads the library; whether the libraries in use have it. */
    public static boolean areThere() {
        return DpaLibrary.load();
    }

    /** Loads the library; fails if the libraries in use have none. */
    public static void checkThere() {
        DpaLibrary.check();
    }

    /** {@code doca_dpa_cap_is_supported}; also no where the libraries have no DPA. */
    public static boolean isSupported(MemorySegment info) {
        return areThere() && Calls.supported("doca_dpa_cap_is_supported", () -> doca_h.doca_dpa_cap_is_supported(info));
    }

    /** {@code doca_dpa_create}. */
    public static MemorySegment create(MemorySegment device, String action) {
        checkThere();
        return Calls.pointer(CREATE_NAME, action, out -> doca_h.doca_dpa_create(device, out));
    }

    /** {@code doca_dpa_peek_at_last_error}; {@code doca_error_t}. */
    public static int lastError(MemorySegment dpa) {
        return Calls.code(LAST_ERROR_NAME, () -> doca_h.doca_dpa_peek_at_last_error(dpa));
    }

    /** {@code doca_dpa_log_file_set_path}. */
    public static void setLogFile(MemorySegment dpa, String path, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            Calls.check("doca_dpa_log_file_set_path", action, () -> doca_h.doca_dpa_log_file_set_path(dpa, text));
        }
    }

    /** {@code doca_dpa_trace_file_set_path}. */
    public static void setTraceFile(MemorySegment dpa, String path, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            Calls.check("doca_dpa_trace_file_set_path", action, () -> doca_h.doca_dpa_trace_file_set_path(dpa, text));
        }
    }

    /** {@code doca_dpa_log_file_get_path}. */
    public static String logFile(MemorySegment dpa, String action) {
        return path(
                "doca_dpa_log_file_get_path",
                action,
                (text, length) -> doca_h.doca_dpa_log_file_get_path(dpa, text, length));
    }

    /** {@code doca_dpa_trace_file_get_path}. */
    public static String traceFile(MemorySegment dpa, String action) {
        return path(
                "doca_dpa_trace_file_get_path",
                action,
                (text, length) -> doca_h.doca_dpa_trace_file_get_path(dpa, text, length));
    }

    private static String path(String function, String action, ToIntBiFunction<MemorySegment, MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, LONGEST_PATH);
            MemorySegment text = arena.allocate(LONGEST_PATH);
            Calls.check(function, action, () -> call.applyAsInt(text, length));
            return text.getString(0);
        }
    }

    /** {@code doca_dpa_destroy}. */
    public static void destroy(MemorySegment dpa, String action) {
        Calls.check("doca_dpa_destroy", action, () -> doca_h.doca_dpa_destroy(dpa));
    }

    /** {@code doca_dpa_start}. */
    public static void start(MemorySegment dpa, String action) {
        Calls.check("doca_dpa_start", action, () -> doca_h.doca_dpa_start(dpa));
    }

    /** {@code doca_dpa_stop}. */
    public static void stop(MemorySegment dpa, String action) {
        Calls.check("doca_dpa_stop", action, () -> doca_h.doca_dpa_stop(dpa));
    }

    /** {@code doca_dpa_set_app}. */
    public static void setApplication(MemorySegment dpa, MemorySegment application, String action) {
        Calls.check("doca_dpa_set_app", action, () -> doca_h.doca_dpa_set_app(dpa, application));
    }

    /** {@code doca_dpa_set_log_level}: {@link #LOG_OFF} and its like. */
    public static void setLogLevel(MemorySegment dpa, int level, String action) {
        Calls.check("doca_dpa_set_log_level", action, () -> doca_h.doca_dpa_set_log_level(dpa, level));
    }

    /** {@code doca_dpa_get_log_level}. */
    public static int logLevel(MemorySegment dpa, String action) {
        return (int) Calls.uint32("doca_dpa_get_log_level", action, out -> doca_h.doca_dpa_get_log_level(dpa, out));
    }

    /** {@code doca_dpa_get_max_threads_per_kernel}. */
    public static int maxThreads(MemorySegment dpa, String action) {
        return (int) Calls.uint32(
                "doca_dpa_get_max_threads_per_kernel",
                action,
                out -> doca_h.doca_dpa_get_max_threads_per_kernel(dpa, out));
    }

    /** {@code doca_dpa_get_kernel_max_run_time}, seconds. */
    public static long maxRunTime(MemorySegment dpa, String action) {
        return Calls.uint64(
                "doca_dpa_get_kernel_max_run_time", action, out -> doca_h.doca_dpa_get_kernel_max_run_time(dpa, out));
    }

    /** {@code doca_dpa_device_extend}. */
    public static MemorySegment extend(MemorySegment dpa, MemorySegment device, String action) {
        return Calls.pointer("doca_dpa_device_extend", action, out -> doca_h.doca_dpa_device_extend(dpa, device, out));
    }

    /** {@code doca_dpa_get_dpa_handle}. */
    public static long handle(MemorySegment dpa, String action) {
        return Calls.uint64("doca_dpa_get_dpa_handle", action, out -> doca_h.doca_dpa_get_dpa_handle(dpa, out));
    }

    /** {@code doca_dpa_get_uar_id}. */
    public static int uarId(MemorySegment dpa, String action) {
        return (int) Calls.uint32("doca_dpa_get_uar_id", action, out -> doca_h.doca_dpa_get_uar_id(dpa, out));
    }

    /** {@code doca_dpa_get_core_num}. */
    public static int cores(MemorySegment dpa, String action) {
        return (int) Calls.uint32("doca_dpa_get_core_num", action, out -> doca_h.doca_dpa_get_core_num(dpa, out));
    }

    /** {@code doca_dpa_get_num_eus_per_core}. */
    public static int unitsPerCore(MemorySegment dpa, String action) {
        return (int) Calls.uint32(
                "doca_dpa_get_num_eus_per_core", action, out -> doca_h.doca_dpa_get_num_eus_per_core(dpa, out));
    }

    /** {@code doca_dpa_get_total_num_eus_available}. */
    public static int units(MemorySegment dpa, String action) {
        return (int) Calls.uint32(
                "doca_dpa_get_total_num_eus_available",
                action,
                out -> doca_h.doca_dpa_get_total_num_eus_available(dpa, out));
    }
}
