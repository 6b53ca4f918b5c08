package io.github.comch4j.internal.life;

import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Leads from objects of the public API to what is behind them, for the library's other packages and not for programs. A
 * public class opens itself in its static initialiser; who needs its inside asks once, into a {@code static final}
 * field, so that the compiler sees through it.
 */
public final class Internals {
    private static final Map<Class<?>, Function<?, ?>> OPENED = new ConcurrentHashMap<>();

    private Internals() {
    }

    /** Called by {@code type}'s static initialiser. */
    public static <T, I> void open(Class<T> type, Function<T, I> inside) {
        OPENED.put(type, inside);
    }

    /** From an object of {@code type} to what is behind it. */
    @SuppressWarnings("unchecked")
    public static <T, I> Function<T, I> of(Class<T> type) {
        try {
            MethodHandles.lookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        Function<?, ?> inside = OPENED.get(type);
        if (inside == null) {
            throw new AssertionError(type + " is not open to the library's other packages");
        }
        return (Function<T, I>) inside;
    }
}
