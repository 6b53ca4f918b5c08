package io.github.comch4j.internal.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/** Sleeping until an engine has something to do, and what else is asked of an engine seldom. */
public final class Notifications {
    /** {@code DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE}. */
    public static final int SELECTIVE = PeCalls.SELECTIVE;
    /** {@code DOCA_PE_EVENT_MODE_PROGRESS_ALL}. */
    public static final int ALL = PeCalls.ALL;

    private static final int LONGEST_SLEEP = 50; // milliseconds

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
        engine.transport().prepareToSleep();
        PeCalls.requestNotification(engine.handle());
    }

    /** {@code doca_pe_clear_notification}. */
    public static void clear(Engine engine) {
        PeCalls.clearNotification(engine.handle(), handle(engine));
    }

    /** {@code doca_pe_set_event_mode}. */
    public static void mode(Engine engine, int mode) {
        engine.checkOwner();
        checkNoCallback(engine, "eventMode()");
        PeCalls.setEventMode(engine.handle(), mode);
    }

    /** Arms, sleeps, disarms. Returns whether there was an event. */
    public static boolean await(Engine engine, Duration timeout) {
        engine.checkOwner();
        checkNoCallback(engine, "awaitEvent()");
        if (engine.transport().prepareToSleep()) {
            return true;
        }
        int handle = handle(engine);
        request(engine);
        boolean event = sleep(handle, Math.clamp(Nanos.of(timeout) / 1_000_000, 1, Integer.MAX_VALUE));
        PeCalls.clearNotification(engine.handle(), handle);
        if (!event && Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted while waiting for an event of " + engine.name());
        }
        return event;
    }

    /** The operating system knows nothing of interrupts of Java: so in pieces. */
    private static boolean sleep(int handle, long millis) {
        for (long left = millis; left > 0 && !Thread.currentThread().isInterrupted(); left -= LONGEST_SLEEP) {
            if (Poll.readable(handle, (int) Math.min(left, LONGEST_SLEEP))) {
                return true;
            }
        }
        return false;
    }

    private static void checkNoCallback(Engine engine, String what) {
        if (engine.isInCallbacks()) {
            throw new IllegalStateException(what + " inside a callback of the same engine");
        }
    }

    /** {@code poll(2)} of the C library. */
    private static final class Poll {
        private static final short POLLIN = 1;
        private static final MethodHandle POLL =
                Symbols.standard("poll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

        /** Whether the descriptor became readable; an interrupted call counts as not. */
        static boolean readable(int descriptor, int millis) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment request = arena.allocate(8, 4); // struct pollfd
                request.set(JAVA_INT, 0, descriptor);
                request.set(JAVA_SHORT, 4, POLLIN);
                return (int) POLL.invokeExact(request.address(), 1L, millis) > 0;
            } catch (Throwable t) {
                throw Symbols.unexpected(t);
            }
        }
    }
}
