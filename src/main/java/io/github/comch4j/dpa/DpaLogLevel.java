package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.DpaCalls;
import io.github.comch4j.internal.failure.Failures;

/** The level of messages that programs on the DPA write ({@code doca_dpa_dev_log_level_t}). */
public enum DpaLogLevel {
    /** No messages. */
    OFF(DpaCalls.LOG_OFF),
    /** Errors. */
    ERROR(DpaCalls.LOG_ERROR),
    /** Errors and warnings. */
    WARNING(DpaCalls.LOG_WARNING),
    /** Errors, warnings and information; the default. */
    INFO(DpaCalls.LOG_INFO),
    /** All messages. */
    DEBUG(DpaCalls.LOG_DEBUG);

    static {
        Internals.open(DpaLogLevel.class, DpaLogLevel::code); // for what a kernel in Java logs
    }

    private final int code;

    DpaLogLevel(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static DpaLogLevel of(int code) {
        for (DpaLogLevel level : values()) {
            if (level.code == code) {
                return level;
            }
        }
        throw Failures.refused(DocaError.UNEXPECTED, "doca_dpa_get_log_level", "reading the log level " + code);
    }
}
