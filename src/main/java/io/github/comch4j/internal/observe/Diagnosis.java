package io.github.comch4j.internal.observe;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * The loaded libraries' explanation of the call that failed last in this thread, or of the attempt to connect whose
 * state callback runs. Set when libraries are loaded that can tell.
 */
public final class Diagnosis {
    private static volatile Source source; // null: libraries that cannot tell
    private static volatile Supplier<String> log; // null: none

    private Diagnosis() {}

    /** Libraries that can tell. */
    public interface Source {
        /** As {@link Diagnosis#lastError}. */
        String lastError();

        /** As {@link Diagnosis#refusedForGood}. */
        boolean refusedForGood();
    }

    /** Asks {@code newSource} from now on. */
    public static void from(Source newSource) {
        source = Objects.requireNonNull(newSource);
    }

    /** Asks {@code newLog} from now on what has been logged. */
    public static void logFrom(Supplier<String> newLog) {
        log = Objects.requireNonNull(newLog);
    }

    /** The explanation, or empty. It is told once. */
    public static String lastError() {
        Source asked = source;
        return asked == null ? "" : asked.lastError();
    }

    /** The error that libraries which give no explanation have logged just now, in whichever thread; or empty. */
    public static String lastLogged() {
        Supplier<String> asked = log;
        return asked == null ? "" : asked.get();
    }

    /** Whether the last attempt of this thread to connect was refused for a reason that waiting does not change. */
    public static boolean refusedForGood() {
        Source asked = source;
        return asked != null && asked.refusedForGood();
    }
}
