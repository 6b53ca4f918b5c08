package io.github.comch4j.internal.observe;

import io.github.comch4j.internal.life.Leaks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The engines, connections, producers and consumers of the process, for whoever wants to look at them. Things come and go rarely, so a lock does.
 *
 * <p>Engines are here without their public face, so that one that a program has lost is noticed ({@link Leaks}).
 */
public final class LiveObjects {

    /** Told what comes and goes, by the thread that does it and under a lock: it must be quick, and must not throw. */
    public interface Observer {
        /** Something is there. */
        void came(Object object);

        /** Something is not there any more. */
        void went(Object object);
    }

    private static final Set<Object> LIVE = Collections.newSetFromMap(new IdentityHashMap<>());
    private static final List<Observer> OBSERVERS = new ArrayList<>();

    private LiveObjects() {
    }

    /** Something has come to life. */
    public static void add(Object object) {
        synchronized (LIVE) {
            if (LIVE.add(object)) {
                OBSERVERS.forEach(observer -> observer.came(object));
            }
        }
    }

    /** Something has ended; may be said twice. */
    public static void remove(Object object) {
        synchronized (LIVE) {
            if (LIVE.remove(object)) {
                OBSERVERS.forEach(observer -> observer.went(object));
            }
        }
    }

    /** Begins to tell, with what is there now. */
    public static void observe(Observer observer) {
        synchronized (LIVE) {
            OBSERVERS.add(observer);
            LIVE.forEach(observer::came);
        }
    }

    /** Tells no more, except that everything is gone. */
    public static void forget(Observer observer) {
        synchronized (LIVE) {
            if (OBSERVERS.remove(observer)) {
                LIVE.forEach(observer::went);
            }
        }
    }
}
