package io.github.comch4j.core;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.call.LogCalls;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * DOCA's own log. It has two streams. The {@code sdk} stream has the messages of the libraries, and is silent until a
 * program enables it. The {@code application} stream has the messages that programs write with DOCA's functions; it is
 * useful for programs that are partly written in C.
 *
 * <p>The levels are those of {@link System.Logger}, from {@link Level#OFF} to {@link Level#TRACE}
 * ({@code enum doca_log_level}); {@link Level#ALL} counts as {@code TRACE}. DOCA's level CRITICAL counts as
 * {@link Level#ERROR}.
 *
 * <p>Any thread may call these methods. They throw {@link MissingFunctionException} if the DOCA release in use lacks a
 * function, because all of these functions are experimental.
 */
public final class DocaLog {
    /** The name of the logger that {@link #bridge} writes to. */
    public static final String LOGGER = "io.github.comch4j.doca";

    private DocaLog() {}

    private static int code(Level level) {
        return switch (level) {
            case OFF -> LogCalls.DISABLE;
            case ERROR -> LogCalls.ERROR;
            case WARNING -> LogCalls.WARNING;
            case INFO -> LogCalls.INFO;
            case DEBUG -> LogCalls.DEBUG;
            case TRACE, ALL -> LogCalls.TRACE;
        };
    }

    private static Level level(int code) {
        return Stream.of(Level.OFF, Level.ERROR, Level.WARNING, Level.INFO, Level.DEBUG)
                .filter(level -> code <= code(level))
                .findFirst()
                .orElse(Level.TRACE);
    }

    /**
     * Forwards the messages of the libraries to the {@link System.Logger} named {@value #LOGGER}, for the life of the
     * process ({@code doca_log_backend_create_with_fd_sdk}, {@code doca_log_level_set_global_sdk_limit}). A daemon
     * thread writes the records, so they may appear slightly later than the records of the program itself. If too many
     * arrive at once, some are lost. Of repeated messages, such as the attempts of a client that waits for its server,
     * only the first, second, fourth, eighth, … are logged, with their number.
     *
     * @param level the most verbose level to log; {@link #setSdkLevel(Level)} can change it
     * @throws IllegalStateException if there is a bridge already
     * @throws DocaException if DOCA refuses
     */
    public static void bridge(Level level) {
        NativeLibrary.load();
        Objects.requireNonNull(level);
        LogCalls.bridge(System.getLogger(LOGGER));
        setSdkLevel(level);
    }

    /**
     * Sets the most verbose level that the libraries log ({@code doca_log_level_set_global_sdk_limit}).
     *
     * @param level the most verbose level to show
     * @throws DocaException if DOCA refuses
     */
    public static void setSdkLevel(Level level) {
        LogCalls.sdkLevel(code(level));
    }

    /**
     * Returns the most verbose level that the libraries log ({@code doca_log_level_get_global_sdk_limit}).
     *
     * @return the most verbose level that is shown; initially {@link Level#INFO}
     */
    public static Level sdkLevel() {
        return level(LogCalls.sdkLevel());
    }

    /**
     * Sets the most verbose level of the application stream ({@code doca_log_level_set_global_lower_limit}).
     *
     * @param level the most verbose level to show
     * @throws DocaException if DOCA refuses
     */
    public static void setApplicationLevel(Level level) {
        LogCalls.applicationLevel(code(level));
    }

    /**
     * Returns the most verbose level of the application stream ({@code doca_log_level_get_global_lower_limit}).
     *
     * @return the most verbose level that is shown; initially {@link Level#INFO}
     */
    public static Level applicationLevel() {
        return level(LogCalls.applicationLevel());
    }

    /**
     * Shows the application stream on the standard streams of the process: levels up to {@link Level#INFO} on stdout,
     * levels from {@link Level#WARNING} on stderr ({@code doca_log_backend_create_standard}).
     *
     * @throws DocaException if DOCA refuses
     */
    public static void standardBackend() {
        NativeLibrary.load();
        LogCalls.standardBackend();
    }

    /**
     * Writes to the application stream ({@code doca_log_register_source}, {@code doca_log}), so that a program in C and
     * Java has one log. A program in Java alone should use {@link System.Logger}.
     *
     * @param level the severity
     * @param source the part of the program; registered with DOCA at its first use, for the life of the process
     * @param message the text, written unchanged
     * @throws IllegalArgumentException if the level is {@link Level#OFF}
     * @throws DocaException if DOCA refuses
     */
    public static void log(Level level, String source, String message) {
        NativeLibrary.load();
        if (level == Level.OFF) {
            throw new IllegalArgumentException("a message cannot have the level OFF");
        }
        LogCalls.log(code(level), source, message);
    }
}
