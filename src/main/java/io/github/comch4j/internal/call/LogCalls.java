package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Log;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * DOCA's log, and how its records get into {@link System.Logger}.
 *
 * <p>They go through a pipe and a thread, not an upcall: DOCA writes records while it holds locks, on threads of its
 * own, and perhaps within a call during which no upcall is allowed. The pipe's writing end does not block: when nobody
 * reads fast enough, records are lost and DOCA is not delayed.
 */
public final class LogCalls {
    /** {@code DOCA_LOG_LEVEL_DISABLE}. */
    public static final int DISABLE = doca_h.DOCA_LOG_LEVEL_DISABLE();
    /** {@code DOCA_LOG_LEVEL_CRIT}. */
    public static final int CRITICAL = doca_h.DOCA_LOG_LEVEL_CRIT();
    /** {@code DOCA_LOG_LEVEL_ERROR}. */
    public static final int ERROR = doca_h.DOCA_LOG_LEVEL_ERROR();
    /** {@code DOCA_LOG_LEVEL_WARNING}. */
    public static final int WARNING = doca_h.DOCA_LOG_LEVEL_WARNING();
    /** {@code DOCA_LOG_LEVEL_INFO}. */
    public static final int INFO = doca_h.DOCA_LOG_LEVEL_INFO();
    /** {@code DOCA_LOG_LEVEL_DEBUG}. */
    public static final int DEBUG = doca_h.DOCA_LOG_LEVEL_DEBUG();
    /** {@code DOCA_LOG_LEVEL_TRACE}. */
    public static final int TRACE = doca_h.DOCA_LOG_LEVEL_TRACE();

    private static final Pattern LEVEL = Pattern.compile(
            "\\b(?:(CRIT|CRITICAL|CRT|ERROR|ERR)|(WARNING|WARN|WRN)|(INFO|INF)|(DEBUG|DBG)|(TRACE|TRC))\\b");
    private static final int HEAD = 120; // the level is within the first characters of a record
    private static final Map<String, Integer> SOURCES = new ConcurrentHashMap<>();

    private static boolean bridged; // guarded by the class

    private LogCalls() {}

    /**
     * {@code doca_log_backend_create_with_fd_sdk} and {@code doca_log_backend_set_sdk_level}; the backend lasts as long
     * as the process, as DOCA cannot destroy one.
     */
    public static synchronized void bridge(System.Logger logger) {
        NativeLibrary.load();
        if (bridged) {
            throw new IllegalStateException("the bridge from DOCA's log already exists");
        }
        FileInputStream in = pipe("making a bridge from DOCA's log").records();
        Thread reader = new Thread(() -> read(in, logger), "comch4j-doca-log");
        reader.setDaemon(true);
        reader.start();
        bridged = true;
    }

    /**
     * A backend of the libraries' log that writes to a pipe.
     *
     * @param backend DOCA's object
     * @param records the pipe's reading end
     */
    private record Pipe(MemorySegment backend, FileInputStream records) {}

    private static Pipe pipe(String action) {
        int[] ends = Descriptors.pipe();
        try {
            // a descriptor of Java's own on the reading end, which Java closes
            FileInputStream in = new FileInputStream("/proc/self/fd/" + ends[0]);
            return new Pipe(
                    present("doca_log_backend_create_with_fd_sdk")
                            .pointer(action, doca_h.doca_log_backend_create_with_fd_sdk(ends[1], Calls.out())),
                    in);
        } catch (IOException e) {
            Descriptors.close(ends[1]);
            throw new java.io.UncheckedIOException(action, e);
        } catch (RuntimeException e) {
            Descriptors.close(ends[1]);
            throw e;
        } finally {
            Descriptors.close(ends[0]);
        }
    }

    /** A pipe to which the libraries write their errors from here on; they lose those that it has no room for. */
    static FileInputStream errors() {
        String action = "listening to the errors in DOCA's log";
        Pipe made = pipe(action);
        present("doca_log_backend_set_sdk_level")
                .check(action, doca_h.doca_log_backend_set_sdk_level(made.backend, ERROR));
        return made.records;
    }

    private static void read(FileInputStream in, System.Logger logger) {
        RepeatedRecords repeated = new RepeatedRecords();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    String shown = repeated.shown(line, textOf(line), System.nanoTime());
                    if (shown != null) {
                        logger.log(levelOf(line), shown);
                    }
                } catch (RuntimeException e) {
                    // a logger that fails must not end the bridge
                }
            }
        } catch (IOException e) {
            Log.logger().log(System.Logger.Level.WARNING, "DOCA''s log cannot be read any more: {0}", e);
        }
    }

    /** What stands behind the level: no time, which differs from record to record. */
    static String textOf(String record) {
        Matcher matcher = LEVEL.matcher(record.substring(0, Math.min(HEAD, record.length())));
        return matcher.find() ? record.substring(matcher.start()) : record;
    }

    static System.Logger.Level levelOf(String record) {
        Matcher matcher = LEVEL.matcher(record.substring(0, Math.min(HEAD, record.length())));
        if (!matcher.find()) {
            return System.Logger.Level.INFO;
        }
        if (matcher.group(1) != null) {
            return System.Logger.Level.ERROR;
        }
        if (matcher.group(2) != null) {
            return System.Logger.Level.WARNING;
        }
        if (matcher.group(3) != null) {
            return System.Logger.Level.INFO;
        }
        return matcher.group(4) != null ? System.Logger.Level.DEBUG : System.Logger.Level.TRACE;
    }

    /** {@code doca_log_level_set_global_sdk_limit}. */
    public static void sdkLevel(int level) {
        present("doca_log_level_set_global_sdk_limit")
                .check("setting the log level of the libraries", doca_h.doca_log_level_set_global_sdk_limit(level));
    }

    /** {@code doca_log_level_get_global_sdk_limit}. */
    public static int sdkLevel() {
        present("doca_log_level_get_global_sdk_limit");
        return doca_h.doca_log_level_get_global_sdk_limit();
    }

    /** {@code doca_log_level_set_global_lower_limit}. */
    public static void applicationLevel(int level) {
        present("doca_log_level_set_global_lower_limit")
                .check("setting the log level of the application", doca_h.doca_log_level_set_global_lower_limit(level));
    }

    /** {@code doca_log_level_get_global_lower_limit}. */
    public static int applicationLevel() {
        present("doca_log_level_get_global_lower_limit");
        return doca_h.doca_log_level_get_global_lower_limit();
    }

    /** {@code doca_log_backend_create_standard}. */
    public static void standardBackend() {
        present("doca_log_backend_create_standard")
                .check("making the standard log", doca_h.doca_log_backend_create_standard());
    }

    /** {@code doca_log}, with the message as it is; {@code doca_log_register_source} at the first use of a source. */
    public static void log(int level, String source, String message) {
        int number = SOURCES.computeIfAbsent(source, LogCalls::register);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment format = arena.allocateFrom("%s");
            MemorySegment text = arena.allocateFrom(message);
            MemorySegment file = arena.allocateFrom("java");
            // The records of an SDK have file and function, and no source.
            MemorySegment function = arena.allocateFrom(source);
            int code = (int) Variadic.WRITE_LOG.invokeExact(level, number, file, 0, function, format, text);
            new DocaAnswer(Variadic.NAME, code).check("writing to DOCA's log");
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Apart, so that the constants can be had without the libraries. */
    private static final class Variadic {
        private static final String NAME = "doca_log";
        private static final MethodHandle WRITE_LOG = Symbols.downcall(
                NAME,
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS),
                Linker.Option.firstVariadicArg(6));
    }

    private static int register(String source) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(source);
            return present("doca_log_register_source")
                    .number(
                            "registering the source \"" + source + "\"",
                            doca_h.doca_log_register_source(name, Calls.out()));
        }
    }
}
