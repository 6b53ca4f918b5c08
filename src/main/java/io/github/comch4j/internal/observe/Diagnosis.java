package io.github.comch4j.internal.observe;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * The loaded libraries' explanation of the call that failed last in this thread. Set when libraries are loaded that can
 * tell.
 */
public final class Diagnosis {
    private static volatile Supplier<String> source = () -> "";

    private Diagnosis() {}

    /** Asks {@code source} from now on. */
    public static void from(Supplier<String> newSource) {
        source = Objects.requireNonNull(newSource);
    }

    /** The explanation, or empty. */
    public static String lastError() {
        return source.get();
    }
}
