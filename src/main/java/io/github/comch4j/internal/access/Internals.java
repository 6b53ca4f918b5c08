package io.github.comch4j.internal.access;

import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Opens classes of the public API to the library's other packages, and not to programs: leads from a public object to
 * its internal one, and makes objects that have no public constructor. A public class opens itself in its static
 * initialiser; who needs it asks once, into a {@code static final} field, so that the compiler sees through it.
 */
public final class Internals {
    private static final Map<Class<?>, Function<?, ?>> OPENED = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Function<?, ?>> MAKERS = new ConcurrentHashMap<>();

    private Internals() {}

    /** Called by {@code type}'s static initialiser: leads from an object to its internal one. */
    public static <T, I> void open(Class<T> type, Function<T, I> inside) {
        OPENED.put(type, inside);
    }

    /** Called by {@code type}'s static initialiser: makes an object. */
    public static <M, T> void openMaker(Class<T> type, Function<M, T> maker) {
        MAKERS.put(type, maker);
    }

    /** From an object of {@code type} to its internal one. */
    @SuppressWarnings("unchecked")
    public static <T, I> Function<T, I> of(Class<T> type) {
        return (Function<T, I>) opened(OPENED, type);
    }

    /** From what an object of {@code type} is made of to the object. */
    @SuppressWarnings("unchecked")
    public static <M, T> Function<M, T> maker(Class<T> type) {
        return (Function<M, T>) opened(MAKERS, type);
    }

    private static Function<?, ?> opened(Map<Class<?>, Function<?, ?>> way, Class<?> type) {
        try {
            MethodHandles.lookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        Function<?, ?> found = way.get(type);
        if (found == null) {
            throw new AssertionError(type + " is not open to the library's other packages");
        }
        return found;
    }
}
