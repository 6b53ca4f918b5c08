package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.DocaError;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.LateLibrary;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Calls of DPAs ({@code doca_dpa.h}): their life, settings and sizes. */
public final class DpaCalls {
    private static final List<Level> LEVELS = List.of(Level.OFF, Level.ERROR, Level.WARNING, Level.INFO, Level.DEBUG);

    private DpaCalls() {}

    /** Loads the library; whether the libraries in use have it. */
    public static boolean areThere() {
        return LateLibrary.DPA.load();
    }

    /** Loads the library; fails if the libraries in use have none. */
    public static void checkThere() {
        LateLibrary.DPA.check();
    }

    /** {@code doca_dpa_cap_is_supported}; also no where the libraries have no DPA. */
    public static boolean isSupported(MemorySegment info) {
        return areThere() && present("doca_dpa_cap_is_supported").succeeds(doca_h.doca_dpa_cap_is_supported(info));
    }

    /** {@code doca_dpa_create}. */
    public static MemorySegment create(MemorySegment device, String action) {
        checkThere();
        return present("doca_dpa_create").pointer(action, doca_h.doca_dpa_create(device, Calls.out()));
    }

    /** {@code doca_dpa_peek_at_last_error}. */
    public static DocaAnswer lastError(MemorySegment dpa) {
        return present("doca_dpa_peek_at_last_error").answer(doca_h.doca_dpa_peek_at_last_error(dpa));
    }

    /** {@code doca_dpa_log_file_set_path}. */
    public static void setLogFile(MemorySegment dpa, String path, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            present("doca_dpa_log_file_set_path").check(action, doca_h.doca_dpa_log_file_set_path(dpa, text));
        }
    }

    /** {@code doca_dpa_trace_file_set_path}. */
    public static void setTraceFile(MemorySegment dpa, String path, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            present("doca_dpa_trace_file_set_path").check(action, doca_h.doca_dpa_trace_file_set_path(dpa, text));
        }
    }

    /** {@code doca_dpa_destroy}. */
    public static void destroy(MemorySegment dpa, String action) {
        present("doca_dpa_destroy").check(action, doca_h.doca_dpa_destroy(dpa));
    }

    /** {@code doca_dpa_start}. */
    public static void start(MemorySegment dpa, String action) {
        present("doca_dpa_start").check(action, doca_h.doca_dpa_start(dpa));
    }

    /** {@code doca_dpa_stop}. */
    public static void stop(MemorySegment dpa, String action) {
        present("doca_dpa_stop").check(action, doca_h.doca_dpa_stop(dpa));
    }

    /** {@code doca_dpa_set_app}. */
    public static void setApplication(MemorySegment dpa, MemorySegment application, String action) {
        present("doca_dpa_set_app").check(action, doca_h.doca_dpa_set_app(dpa, application));
    }

    /** {@code doca_dpa_set_log_level}. */
    public static void setLogLevel(MemorySegment dpa, Level level, String action) {
        present("doca_dpa_set_log_level").check(action, doca_h.doca_dpa_set_log_level(dpa, code(level)));
    }

    /** {@code doca_dpa_get_log_level}. */
    public static Level logLevel(MemorySegment dpa, String action) {
        int code = present("doca_dpa_get_log_level").number(action, doca_h.doca_dpa_get_log_level(dpa, Calls.out()));
        for (Level level : LEVELS) {
            if (code(level) == code) {
                return level;
            }
        }
        throw Failures.refused(DocaError.UNEXPECTED, "doca_dpa_get_log_level", action + ": it returned " + code);
    }

    /** The {@code doca_dpa_dev_log_level_t} that lets as much through; DOCA has nothing below DEBUG. */
    public static int code(Level level) {
        return switch (level) {
            case OFF -> doca_h.DOCA_DPA_DEV_LOG_LEVEL_DISABLE();
            case ERROR -> doca_h.DOCA_DPA_DEV_LOG_LEVEL_ERROR();
            case WARNING -> doca_h.DOCA_DPA_DEV_LOG_LEVEL_WARNING();
            case INFO -> doca_h.DOCA_DPA_DEV_LOG_LEVEL_INFO();
            case DEBUG, TRACE, ALL -> doca_h.DOCA_DPA_DEV_LOG_LEVEL_DEBUG();
        };
    }

    /** {@code doca_dpa_get_max_threads_per_kernel}. */
    public static int maxThreads(MemorySegment dpa, String action) {
        return present("doca_dpa_get_max_threads_per_kernel")
                .number(action, doca_h.doca_dpa_get_max_threads_per_kernel(dpa, Calls.out()));
    }

    /** {@code doca_dpa_get_kernel_max_run_time}, seconds. */
    public static long maxRunTime(MemorySegment dpa, String action) {
        return present("doca_dpa_get_kernel_max_run_time")
                .value(action, doca_h.doca_dpa_get_kernel_max_run_time(dpa, Calls.out()));
    }

    /** {@code doca_dpa_device_extend}. */
    public static MemorySegment extend(MemorySegment dpa, MemorySegment device, String action) {
        return present("doca_dpa_device_extend")
                .pointer(action, doca_h.doca_dpa_device_extend(dpa, device, Calls.out()));
    }

    /** {@code doca_dpa_get_dpa_handle}. */
    public static long handle(MemorySegment dpa, String action) {
        return present("doca_dpa_get_dpa_handle").value(action, doca_h.doca_dpa_get_dpa_handle(dpa, Calls.out()));
    }

    /** {@code doca_dpa_get_core_num}. */
    public static int cores(MemorySegment dpa, String action) {
        return present("doca_dpa_get_core_num").number(action, doca_h.doca_dpa_get_core_num(dpa, Calls.out()));
    }

    /** {@code doca_dpa_get_num_eus_per_core}. */
    public static int unitsPerCore(MemorySegment dpa, String action) {
        return present("doca_dpa_get_num_eus_per_core")
                .number(action, doca_h.doca_dpa_get_num_eus_per_core(dpa, Calls.out()));
    }

    /** {@code doca_dpa_get_total_num_eus_available}. */
    public static int units(MemorySegment dpa, String action) {
        return present("doca_dpa_get_total_num_eus_available")
                .number(action, doca_h.doca_dpa_get_total_num_eus_available(dpa, Calls.out()));
    }
}
