package io.github.comch4j.internal.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.comch4j.internal.call.Descriptors;
import io.github.comch4j.internal.call.PeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Puts the thread of an engine to sleep on the engine's descriptor ({@code doca_pe_get_notification_handle}), until the
 * engine has something to do, the time is up, or another thread {@linkplain #wake() wakes} it. Allocates nothing per
 * sleep.
 *
 * <p>A thread that may be woken by others {@linkplain #announce() says so}, looks whether there is anything to do,
 * {@linkplain #sleep sleeps}, and {@linkplain #retract() takes it back}: who hands something over before the look is
 * seen by it, and who does so later finds the announcement.
 */
public class Sleeper {
    // struct pollfd[2], struct timespec, and 8 bytes to read and write
    private static final long SECOND = 8;
    private static final long TIMESPEC = 16;
    private static final long WORD = 32;
    private static final long BYTES = 40;

    private static final short POLLIN = 1;
    private static final int NONE = -1;

    /** Sleep of an engine from which DOCA does not take a task now, in nanoseconds: nothing tells when it does. */
    private static final long UNTIL_NEXT_TRY = 100_000;

    private final Engine engine;
    private final int handle;
    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
    private final int alarm;
    private final AtomicBoolean asleep = new AtomicBoolean();

    private Sleeper(Engine engine, int alarm) {
        this(engine, Notifications.handle(engine), alarm);
    }

    /** One that other threads can wake, and that sleeps on another descriptor than the engine's. */
    Sleeper(Engine engine, int descriptor, boolean wakeable) {
        this(engine, descriptor, wakeable ? Descriptors.eventfd() : NONE);
    }

    private Sleeper(Engine engine, int handle, int alarm) {
        this.engine = engine;
        this.handle = handle;
        this.alarm = alarm;
        prepare(0, handle);
        prepare(SECOND, alarm);
        memory.set(JAVA_LONG, WORD, 1);
    }

    /**
     * The one of an engine that nobody else wakes; needs no close. Fails where DOCA has no descriptor to sleep on.
     */
    static Sleeper of(Engine engine) {
        if (engine.sleeper == null) {
            engine.sleeper = new Sleeper(engine, NONE);
        }
        return engine.sleeper;
    }

    /**
     * One that other threads can wake; to be closed by the engine's owner.
     *
     * @throws io.github.comch4j.DocaException if the engine has no descriptor, or
     *     {@link io.github.comch4j.MissingFunctionException} if the libraries know nothing of it
     */
    public static Sleeper wakeable(Engine engine) {
        Notifications.handle(engine); // fails before there is anything to close
        int alarm = Descriptors.eventfd();
        return new Sleeper(engine, alarm);
    }

    /**
     * One that sleeps until another descriptor is readable, too, which {@code wake} makes it; the caller reads it.
     *
     * @throws io.github.comch4j.DocaException as {@link #wakeable}
     */
    public static Sleeper beside(Engine engine, int descriptor, Runnable wake) {
        return new Beside(engine, descriptor, wake);
    }

    private static final class Beside extends Sleeper {
        private final Runnable wake;

        Beside(Engine engine, int descriptor, Runnable wake) {
            super(engine, descriptor);
            this.wake = wake;
        }

        @Override
        public void retract() {
            super.asleep.set(false);
        }

        @Override
        public void wake() {
            if (super.asleep.get() && super.asleep.compareAndSet(true, false)) {
                wake.run();
            }
        }

        @Override
        public void close() {
            // the descriptor is the caller's
        }
    }

    /** Whether it can be woken as others than its engine: there was a descriptor for that. */
    public boolean isWakeable() {
        return alarm != NONE;
    }

    /** Whether another thread needs this one to sleep, now. */
    boolean isWanted() {
        return false;
    }

    private void prepare(long at, int descriptor) {
        memory.set(JAVA_INT, at, descriptor); // a negative one is not looked at
        memory.set(JAVA_SHORT, at + 4, POLLIN);
    }

    /** From here on {@link #wake()} ends the sleep. */
    public void announce() {
        asleep.set(true);
    }

    /** The thread is awake. */
    public void retract() {
        if (!asleep.compareAndSet(true, false)) {
            Descriptors.readWord(alarm, memory.address() + WORD); // it is being written, or has been
            memory.set(JAVA_LONG, WORD, 1);
        }
    }

    /** Ends the sleep of a thread that has announced it. Any thread. Without effect on one that is awake. */
    public void wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            Descriptors.writeWord(alarm, memory.address() + WORD);
        }
    }

    /**
     * Arms the engine, sleeps, and disarms it. Tasks that are queued are submitted first; does not sleep while
     * completions wait for their handlers.
     *
     * @param nanos how long at most
     * @return whether the engine has something to do, which may be a false alarm
     */
    public boolean sleep(long nanos) {
        return sleep(nanos, null);
    }

    /** As {@link #sleep(long)}, until either engine has something to do; {@code other} may be null. */
    boolean sleep(long nanos, Sleeper other) {
        engine.checkOwner();
        if (engine.transport().prepareToSleep()
                || (other != null && other.engine.transport().prepareToSleep())) {
            return true;
        }
        long time = Math.min(nanos, longestSleep());
        if (other != null) {
            time = Math.min(time, other.longestSleep());
        }
        PeCalls.requestNotification(engine.handle());
        try {
            return other == null ? poll(time) : pollBoth(time, other);
        } finally {
            PeCalls.clearNotification(engine.handle(), handle);
        }
    }

    /** How long the engine may sleep before a task is tried again that DOCA does not take now, in nanoseconds. */
    final long longestSleep() {
        return engine.awaitsProgress() || engine.transport().holdsTasksBack() ? UNTIL_NEXT_TRY : Long.MAX_VALUE;
    }

    private boolean pollBoth(long nanos, Sleeper other) {
        PeCalls.requestNotification(other.engine.handle());
        prepare(SECOND, other.handle);
        try {
            return poll(nanos);
        } finally {
            prepare(SECOND, alarm);
            PeCalls.clearNotification(other.engine.handle(), other.handle);
        }
    }

    /** An interrupted call counts as the time being up. */
    boolean poll(long nanos) {
        memory.set(JAVA_LONG, TIMESPEC, nanos / 1_000_000_000);
        memory.set(JAVA_LONG, TIMESPEC + 8, nanos % 1_000_000_000);
        if (Descriptors.pollTwo(memory.address(), memory.address() + TIMESPEC) <= 0) {
            return false;
        }
        boolean event = memory.get(JAVA_SHORT, 6) != 0; // revents
        return event || (memory.get(JAVA_INT, SECOND) != alarm && memory.get(JAVA_SHORT, SECOND + 6) != 0);
    }

    /** Gives its descriptor back. The engine's owner, when nobody can wake it any more. */
    public void close() {
        if (alarm != NONE) {
            Descriptors.close(alarm);
        }
    }
}
