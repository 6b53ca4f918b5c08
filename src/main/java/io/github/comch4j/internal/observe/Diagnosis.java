package io.github.comch4j.internal.observe;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The loaded libraries' explanation of the call that failed last in this thread, or of the attempt to connect whose
 * state callback runs. Set when libraries are loaded that can tell.
 */
public final class Diagnosis {
    private static volatile Supplier<String> source = () -> "";
    private static volatile Supplier<String> log = () -> "";
    private static volatile BooleanSupplier refusals = () -> false;

    private Diagnosis() {}

    /** Asks {@code newSource} from now on. */
    public static void from(Supplier<String> newSource) {
        source = Objects.requireNonNull(newSource);
    }

    /** Asks {@code newLog} from now on what has been logged. */
    public static void logFrom(Supplier<String> newLog) {
        log = Objects.requireNonNull(newLog);
    }

    /** Asks {@code newRefusals} from now on whether waiting changes nothing. */
    public static void refusalsFrom(BooleanSupplier newRefusals) {
        refusals = Objects.requireNonNull(newRefusals);
    }

    /** The explanation, or empty. It is told once. */
    public static String lastError() {
        return source.get();
    }

    /** The error that libraries which give no explanation have logged just now, in whichever thread; or empty. */
    public static String lastLogged() {
        return log.get();
    }

    /** Whether the last attempt of this thread to connect was refused for a reason that waiting does not change. */
    public static boolean refusedForGood() {
        return refusals.getAsBoolean();
    }
}
