package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.failure.Failures;
import java.time.Duration;

/** Sleeping until an engine has something to do, and what else is asked of an engine seldom. */
public final class Notifications {
    private static final long SHORTEST_SLEEP = 1_000_000; // nanoseconds, as the next
    private static final long LONGEST_SLEEP = 50_000_000;

    private Notifications() {}

    /** {@code doca_pe_get_num_inflight_tasks}. */
    public static long inFlight(Engine engine) {
        engine.checkOwner();
        return PeCalls.inFlight(engine.handle());
    }

    /** {@code doca_pe_get_notification_handle}. */
    public static int handle(Engine engine) {
        engine.checkOwner();
        return PeCalls.notificationHandle(engine.handle());
    }

    /** {@code doca_pe_request_notification}. */
    public static void request(Engine engine) {
        engine.checkOwner();
        engine.transport().stopPrefetching();
        engine.transport().prepareToSleep();
        PeCalls.requestNotification(engine.handle());
    }

    /** {@code doca_pe_clear_notification}. */
    public static void clear(Engine engine) {
        PeCalls.clearNotification(engine.handle(), handle(engine));
    }

    /** As {@link #clear(Engine)}, with the engine's descriptor, which is asked for once. */
    public static void clear(Engine engine, int handle) {
        engine.checkOwner();
        PeCalls.clearNotification(engine.handle(), handle);
    }

    /** {@code doca_pe_set_event_mode}. */
    public static void selective(Engine engine, boolean selective) {
        engine.checkOwner();
        checkNoCallback(engine, "setSelectiveEvents()");
        PeCalls.setEventMode(engine.handle(), selective ? PeCalls.SELECTIVE : PeCalls.ALL);
    }

    /** Arms, sleeps, disarms. Returns whether there was an event. */
    public static boolean await(Engine engine, Duration timeout) {
        engine.checkOwner();
        checkNoCallback(engine, "awaitEvent()");
        Sleeper sleeper = Sleeper.of(engine);
        long left = Math.max(SHORTEST_SLEEP, Nanos.of(timeout));
        long deadline = System.nanoTime() + left;
        boolean event = false;
        // the operating system knows nothing of interrupts of Java: so in pieces
        while (left > 0 && !event && !Thread.currentThread().isInterrupted()) {
            event = sleeper.sleep(Math.min(left, LONGEST_SLEEP));
            left = deadline - System.nanoTime();
        }
        if (!event && Thread.currentThread().isInterrupted()) {
            throw Failures.interrupted("waiting for an event of " + engine.name());
        }
        return event;
    }

    private static void checkNoCallback(Engine engine, String what) {
        if (engine.isInCallbacks()) {
            throw new IllegalStateException(what + " cannot be called inside a callback of the same engine");
        }
    }
}
