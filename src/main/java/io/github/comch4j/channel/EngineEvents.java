package io.github.comch4j.channel;

import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Notifications;
import io.github.comch4j.internal.life.Poller;
import io.github.comch4j.internal.life.SleepLimit;
import io.github.comch4j.internal.life.Wakeup;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The event channels of an endpoint over Comch, and its engine's owner from call to call.
 *
 * <p>DOCA has one descriptor for all events of an engine. Each event channel is a descriptor of its own, which is
 * readable while the engine's is, and in addition as long as what it was armed for is there already, in Java: a call
 * that makes progress may take from DOCA what another thread waits for. So a channel that was armed may become readable
 * for another event than its own; its thread tries, and arms again.
 *
 * <p>A call {@linkplain #enter() enters}, which disarms the engine, and exits, which arms it again if anybody
 * waits. In between, the engine belongs to the calling thread.
 */
final class EngineEvents {

    /** Whether what an event channel is armed for is there. */
    interface Conditions {
        /** Something that counts up with each event of this kind. */
        long count(ChannelEvent event);

        /** Whether it is there now, even if it was when the channel was armed. */
        boolean holds(ChannelEvent event);

        /** Whether it may come without that the engine wakes. */
        boolean comesUntold(ChannelEvent event);
    }

    /** What one call of a thread is between. */
    interface Entered extends AutoCloseable {
        @Override
        void close();
    }

    /** How long nobody relies on an event that may not come, in nanoseconds. */
    private static final long UNTIL_NEXT_TRY = 1_000_000;

    private final Engine engine;
    private final Conditions conditions;
    private final int handle;
    private final ReentrantLock lock = new ReentrantLock();
    private final Entered entered = this::exit;
    private final Poller poller;
    private final boolean trusted = SleepLimit.areEventsTrusted();
    private final SleepLimit limit = SleepLimit.ofLibraries();
    private final @Nullable Wakeup[] wakeups = new Wakeup[ChannelEvent.ALL.size()];
    private final long[] countsAtArming = new long[wakeups.length];
    private int armed; // bits of events
    private int fired; // likewise: since they were armed
    private boolean sleeps; // the thread of the last call is going to sleep
    private boolean requested; // the engine is armed
    private boolean closing;
    private boolean closed;

    /** The calling thread owns the engine, and does no longer. */
    EngineEvents(Engine engine, Conditions conditions) {
        this.engine = engine;
        this.conditions = conditions;
        this.handle = Notifications.handle(engine);
        this.poller = new Poller();
        engine.release();
    }

    /** The engine belongs to the calling thread from here on, until what is returned is closed. */
    Entered enter() {
        lock.lock();
        try {
            own();
        } catch (RuntimeException e) {
            lock.unlock();
            throw e;
        }
        sleeps = false;
        disarm();
        return entered;
    }

    private void disarm() {
        if (requested) {
            requested = false;
            Notifications.clear(engine, handle);
        }
    }

    private void own() {
        if (closing) {
            throw new IllegalStateException("the endpoint is closed");
        }
        engine.takeOver();
    }

    /** The engine belongs to no thread any more. */
    private void exit() {
        try {
            if (armed != 0) {
                for (ChannelEvent event : ChannelEvent.ALL) {
                    fireIf(event, conditions.count(event) != countsAtArming[event.index]);
                }
            }
            if (armed != 0 || sleeps) {
                request();
            }
            engine.release();
        } finally {
            lock.unlock();
        }
    }

    private void fireIf(ChannelEvent event, boolean happened) {
        if ((armed & event.bit()) != 0 && (happened || conditions.holds(event))) {
            armed &= ~event.bit();
            fired |= event.bit();
            Wakeup wakeup = wakeups[event.index];
            if (wakeup != null) {
                wakeup.fire();
            }
        }
    }

    private void request() {
        if (!requested) {
            requested = true;
            if (engine.transport().prepareToSleep()) { // for what waits in Java the descriptor does not become readable
                sleeps = false;
                ChannelEvent.ALL.forEach(event -> fireIf(event, true));
            }
            Notifications.request(engine);
        }
    }

    /** Between enter and exit: the calling thread is going to {@link #sleep}. */
    void prepareToSleep() {
        sleeps = true;
    }

    /** Whether the last sleep was followed by work. */
    void worked(boolean anything) {
        limit.worked(anything);
    }

    /** Between exit and enter: sleeps until the engine has something to do. */
    void sleep(ChannelEvent event, long nanos) {
        long most = conditions.comesUntold(event) ? UNTIL_NEXT_TRY : trusted ? Long.MAX_VALUE : limit.nanos();
        boolean woken = sleeps && poller.await(handle, Math.min(nanos, most));
        limit.slept(woken);
    }

    /** Any thread. */
    void arm(ChannelEvent event) {
        lock.lock();
        try {
            own();
            try {
                rearm(event);
            } finally {
                engine.release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Between enter and exit, or while the lock is held. */
    void rearm(ChannelEvent event) {
        armed |= event.bit();
        fired &= ~event.bit();
        countsAtArming[event.index] = conditions.count(event);
        Wakeup wakeup = wakeups[event.index];
        if (wakeup != null) {
            wakeup.calm();
            tryAgainLater(wakeup, event);
        }
        fireIf(event, false);
        if (armed != 0 || requested) {
            disarm(); // of a false alarm the descriptor would be readable still; of an event it will be again
            request();
        }
    }

    private void tryAgainLater(Wakeup wakeup, ChannelEvent event) {
        if (!trusted || conditions.comesUntold(event)) {
            wakeup.fireIn(UNTIL_NEXT_TRY);
        }
    }

    /** Any thread. */
    int descriptor(ChannelEvent event) {
        lock.lock();
        try {
            if (closing) {
                throw new IllegalStateException("the endpoint is closed");
            }
            Wakeup wakeup = wakeups[event.index];
            if (wakeup == null) {
                wakeup = new Wakeup(handle);
                wakeups[event.index] = wakeup;
                if ((fired & event.bit()) != 0) {
                    wakeup.fire();
                } else if ((armed & event.bit()) != 0) {
                    tryAgainLater(wakeup, event);
                }
            }
            return wakeup.descriptor();
        } finally {
            lock.unlock();
        }
    }

    /** Any thread, without the lock. */
    boolean await(ChannelEvent event, long nanos) {
        return poller.await(descriptor(event), nanos);
    }

    /** Wakes who sleeps, for good. */
    void stopWaiting() {
        poller.ring();
    }

    /** Nobody is in a call or waits: the engine belongs to the calling thread for good. */
    void beginClosing() {
        lock.lock();
        try {
            closing = true;
            if (!closed) {
                engine.takeOver();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives the descriptors back; the engine is closed. */
    void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (Wakeup wakeup : wakeups) {
                if (wakeup != null) {
                    wakeup.close();
                }
            }
            poller.close();
        } finally {
            lock.unlock();
        }
    }
}
