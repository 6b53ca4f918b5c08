package io.github.comch4j.internal.observe;

/**
 * The library's logger. Made at its first use: most processes have nothing to log, and do not wait for a logger at
 * their start.
 */
public final class Log {
    private Log() {}

    /** Logger {@code io.github.comch4j}. */
    public static System.Logger logger() {
        return Holder.LOGGER;
    }

    private static final class Holder {
        static final System.Logger LOGGER = System.getLogger("io.github.comch4j");
    }
}
