package io.github.comch4j.internal.life;

import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.transport.ConnectionEvents;
import io.github.comch4j.internal.transport.Registry;
import io.github.comch4j.internal.transport.Upcalls;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts, for tests, the native handles that the library holds. */
public final class LiveHandles {
    private LiveHandles() {}

    /** What depends on an engine, by class. */
    public static Map<String, Integer> of(ProgressEngine engine) {
        return below(Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(engine));
    }

    /** What depends on these, directly or not, by class, and what native code can still be told of by user data. */
    public static Map<String, Integer> below(Resource... roots) {
        IdentityHashMap<Resource, Resource> seen = new IdentityHashMap<>();
        for (Resource root : roots) {
            collect(root, seen);
        }
        Map<String, Integer> counts = new TreeMap<>();
        for (Resource resource : seen.keySet()) {
            String[] path = resource.getClass().getName().split("\\.");
            counts.merge(path[path.length - 1], 1, Integer::sum);
        }
        counts.put("contexts by key", registered(Upcalls.class, "CONTEXTS"));
        counts.put("connections by key", registered(ConnectionEvents.class, "REGISTRY"));
        return counts;
    }

    private static void collect(Resource resource, IdentityHashMap<Resource, Resource> seen) {
        if (seen.put(resource, resource) == null) {
            resource.dependentsInOrder().forEach(dependent -> collect(dependent, seen));
        }
    }

    private static int registered(Class<?> type, String field) {
        try {
            var registry = type.getDeclaredField(field);
            registry.setAccessible(true);
            return ((Registry<?>) registry.get(null)).size();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
