package io.github.comch4j.internal.observe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The engines, connections, producers and consumers of the process, and the counts of its clients and servers of calls,
 * for management. They begin and end rarely, so a lock is fast enough.
 *
 * <p>Of an engine it holds no object of the public API, so that one that a program has lost is noticed
 * ({@code internal.life.Leaks}).
 */
public final class LiveObjects {

    /**
     * Called for each object that begins or ends, by its thread and under a lock: must be quick, and must not throw.
     */
    public interface Observer {
        /** An object has begun. */
        void added(Object object);

        /** An object has ended. */
        void removed(Object object);
    }

    private static final Set<Object> LIVE = Collections.newSetFromMap(new IdentityHashMap<>());
    private static final List<Observer> OBSERVERS = new ArrayList<>();

    private LiveObjects() {}

    /** An object has begun. */
    public static void add(Object object) {
        synchronized (LIVE) {
            if (LIVE.add(object)) {
                for (Observer observer : OBSERVERS) {
                    observer.added(object);
                }
            }
        }
    }

    /** An object has ended; may be called twice. */
    public static void remove(Object object) {
        synchronized (LIVE) {
            if (LIVE.remove(object)) {
                for (Observer observer : OBSERVERS) {
                    observer.removed(object);
                }
            }
        }
    }

    /** Shows each object there is. */
    public static void forEach(Consumer<Object> look) {
        List<Object> all;
        synchronized (LIVE) {
            all = List.copyOf(LIVE);
        }
        all.forEach(look);
    }

    /** Calls {@code observer} from now on, first for each object there is. */
    public static void observe(Observer observer) {
        synchronized (LIVE) {
            OBSERVERS.add(observer);
            LIVE.forEach(observer::added);
        }
    }

    /** Calls {@code observer} for the last time, with the end of each object there is. */
    public static void forget(Observer observer) {
        synchronized (LIVE) {
            if (OBSERVERS.remove(observer)) {
                LIVE.forEach(observer::removed);
            }
        }
    }
}
