package io.github.comch4j.internal.life;

import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Leads from objects of the public API to their internal objects, for the library's other packages and not for
 * programs. A public class opens itself in its static initialiser; a user keeps the function in a
 * {@code static final} field, so that the compiler inlines it.
 */
public final class Internals {
    private static final Map<Class<?>, Function<?, ?>> OPENED = new ConcurrentHashMap<>();

    private Internals() {
    }

    /** Called by {@code type}'s static initialiser. */
    public static <T, I> void open(Class<T> type, Function<T, I> inside) {
        OPENED.put(type, inside);
    }

    /** The function from an object of {@code type} to its internal object. */
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
