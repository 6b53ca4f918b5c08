package io.github.comch4j.core;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.call.LogCalls;
import io.github.comch4j.internal.load.NativeLibrary;
import java.util.Objects;

/**
 * DOCA's own log. It has two streams: what the libraries say ({@code sdk}), silent until somebody wants it, and what
 * programs write with DOCA's functions ({@code application}), which is of interest to programs that are partly C.
 *
 * <p>All methods may be called from any thread. {@link MissingFunctionException} where the DOCA release in use lacks a
 * function: all of them are experimental.
 */
public final class DocaLog {
    /** The logger that {@link #bridge} writes to. */
    public static final String LOGGER = "io.github.comch4j.doca";

    /** DOCA's levels ({@code enum doca_log_level}), the most severe first. */
    public enum Level {
        /** Nothing. */
        DISABLE(LogCalls.DISABLE),
        /** The program cannot go on. */
        CRITICAL(LogCalls.CRITICAL),
        /** Something failed. */
        ERROR(LogCalls.ERROR),
        /** Something is odd. */
        WARNING(LogCalls.WARNING),
        /** News. */
        INFO(LogCalls.INFO),
        /** For those who look for a fault. */
        DEBUG(LogCalls.DEBUG),
        /** Everything; only in builds of the SDK for tracing. */
        TRACE(LogCalls.TRACE);

        private final int code;

        Level(int code) {
            this.code = code;
        }

        /**
         * The number in {@code enum doca_log_level}.
         *
         * @return the number
         */
        public int code() {
            return code;
        }

        /** The level of a number; DOCA returns those that it was given. */
        private static Level of(int code) {
            for (Level level : values()) {
                if (level.code == code) {
                    return level;
                }
            }
            throw new IllegalArgumentException("no log level has the number " + code);
        }
    }

    private DocaLog() {}

    /**
     * Sends what the libraries say to the {@link System.Logger} named {@value #LOGGER}, for the life of the process
     * ({@code doca_log_backend_create_with_fd_sdk}, {@code doca_log_level_set_global_sdk_limit}). A daemon thread
     * writes the records, so they may arrive a little later than what the program logs itself; when a flood of them
     * comes some are lost. Of those that say the same again and again, such as the attempts of a client that waits for
     * its server, the first, second, fourth, eighth, … are shown, with their number.
     *
     * @param level the most talkative level that is wanted; can be changed by {@link #setSdkLevel(Level)}
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
     * Sets how talkative the libraries are ({@code doca_log_level_set_global_sdk_limit}).
     *
     * @param level the most talkative level that is shown
     * @throws DocaException if DOCA refuses
     */
    public static void setSdkLevel(Level level) {
        LogCalls.sdkLevel(level.code);
    }

    /**
     * How talkative the libraries are ({@code doca_log_level_get_global_sdk_limit}).
     *
     * @return the most talkative level that is shown; at first {@link Level#INFO}
     */
    public static Level sdkLevel() {
        return Level.of(LogCalls.sdkLevel());
    }

    /**
     * Sets how talkative the application stream is ({@code doca_log_level_set_global_lower_limit}).
     *
     * @param level the most talkative level that is shown
     * @throws DocaException if DOCA refuses
     */
    public static void setApplicationLevel(Level level) {
        LogCalls.applicationLevel(level.code);
    }

    /**
     * How talkative the application stream is ({@code doca_log_level_get_global_lower_limit}).
     *
     * @return the most talkative level that is shown; at first {@link Level#INFO}
     */
    public static Level applicationLevel() {
        return Level.of(LogCalls.applicationLevel());
    }

    /**
     * Shows the application stream on the standard streams of the process: up to {@link Level#INFO} on stdout, from
     * {@link Level#WARNING} on stderr ({@code doca_log_backend_create_standard}).
     *
     * @throws DocaException if DOCA refuses
     */
    public static void standardBackend() {
        NativeLibrary.load();
        LogCalls.standardBackend();
    }

    /**
     * Writes to the application stream ({@code doca_log_register_source}, {@code doca_log}), so that a program in C and
     * Java has one log. Java alone is better off with {@link System.Logger}.
     *
     * @param level how severe
     * @param source which part of the program; registered with DOCA at its first use, for the life of the process
     * @param message the text, written as it is
     * @throws IllegalArgumentException if the level is {@link Level#DISABLE}
     * @throws DocaException if DOCA refuses
     */
    public static void log(Level level, String source, String message) {
        NativeLibrary.load();
        if (level == Level.DISABLE) {
            throw new IllegalArgumentException("a message at the level that disables messages");
        }
        LogCalls.log(level.code, source, message);
    }
}
