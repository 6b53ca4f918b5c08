package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.PeCalls;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The turns of threads on the engine of an event loop. Whoever has the lock owns the engine: the loop's thread while it
 * is awake, and while it sleeps any platform thread that waits for something or has something to send. So a thread that
 * asks, waits and asks again makes the progress itself, and nobody else is woken for it.
 *
 * <p>One thread <em>watches</em>: it sleeps on the engine's descriptor while nobody has the lock. That is the loop's
 * thread, or one that waits in its place, which has taken the descriptor out of what the loop's thread sleeps on.
 * Others that wait are woken by whoever makes the progress.
 *
 * <p>Threads whose turns follow each other closely need not arm the engine in between, which takes some system calls: a
 * timer wakes the loop's thread where none follows.
 *
 * <p>A thread that waits runs what belongs to the library only. The engine is <em>kept</em> for the loop's thread as
 * long as there are handlers of the program on it, unless the loop {@linkplain Engine#shareHandlers shares} them.
 */
final class Turns {
    private static final int EVENTS_PER_ROUND = 256;
    /** After so many sends in a row, none later than this after the one before, the one that watches does them. */
    private static final int SENDS_IN_A_ROW = 4;

    private static final long ROW_NANOS = 20_000;

    /** A turn that begins sooner after the one before follows closely, in nanoseconds. */
    private static final long CLOSE_NANOS = 20_000;

    /** So many turns in a row that follow each other closely show that another one is to come. */
    private static final int CLOSE_TURNS = 4;

    /** So long after a turn the loop's thread looks whether another one has followed; at least half of it. */
    private static final long LOOK_NANOS = 200_000;

    /** Rounds of a thread that does not wait any more, before it leaves the rest to the one that watches. */
    private static final int LAST_ROUNDS = 4;

    /** Of the loop's thread while another one watches, which wakes it where it is needed; nanoseconds. */
    private static final long LONGEST_SLEEP = 1_000_000_000;

    /** Of a thread that waits: the operating system knows nothing of interrupts of Java. */
    private static final long UNTIL_INTERRUPT = 50_000_000;

    private final Engine engine;
    private final int handle; // the engine's descriptor
    private final Consumer<Throwable> failures;
    private final ReentrantLock lock = new ReentrantLock();
    private final ConcurrentLinkedQueue<Runnable> chores = new ConcurrentLinkedQueue<>();
    private final LoopSleeper loopSleeper;
    private final Sleeper watchSleeper;
    private final SleepLimit limit = SleepLimit.ofLibraries(); // of whoever watches in the loop's place
    private final boolean trusted = SleepLimit.areEventsTrusted();
    private final SpinTime spins = new SpinTime(); // of whoever watches in the loop's place, too
    private volatile Thread watcher; // in the loop's place; null: the loop's thread watches
    private boolean armed; // guarded by lock, as the next ones
    private long ended; // the last turn, by System.nanoTime()
    private int closeTurns; // in a row
    private int sendsInARow;
    private long lastSend; // by System.nanoTime()
    private volatile boolean closing;

    /**
     * The calling thread is the loop's, and has its turn.
     *
     * @param failures gets what callbacks throw while another thread makes the progress; any thread
     * @throws io.github.comch4j.DocaException if there is no descriptor to sleep on
     */
    Turns(Engine engine, Consumer<Throwable> failures) {
        this.engine = engine;
        this.failures = failures;
        this.handle = Notifications.handle(engine); // fails where there is nothing to sleep on
        this.loopSleeper = new LoopSleeper(engine, new Wakeup(handle));
        this.watchSleeper = Sleeper.wakeable(engine);
        lock.lock();
    }

    /** Whether all descriptors could be had. */
    boolean arePossible() {
        return loopSleeper.isWakeable() && watchSleeper.isWakeable();
    }

    /** What the loop's thread sleeps on. */
    Sleeper loopSleeper() {
        return loopSleeper;
    }

    // ---- the loop's thread

    /** Sleeps without the lock, on a descriptor that others can take the engine's out of. */
    private final class LoopSleeper extends Sleeper {
        private final Wakeup wakeup; // guarded by lock, as the next
        private long timedAt; // by System.nanoTime()

        LoopSleeper(Engine engine, Wakeup wakeup) {
            super(engine, wakeup.descriptor(), true);
            this.wakeup = wakeup;
        }

        /** Wakes the loop's thread soon, unless another turn ends before. With the lock. */
        void lookSoon(long now) {
            if (wakeup.isCalm() || now - timedAt > LOOK_NANOS / 2) {
                timedAt = now;
                wakeup.fireIn(LOOK_NANOS);
            }
        }

        void look() {
            wakeup.look();
        }

        void lookAway() {
            wakeup.calm();
            wakeup.lookAway();
        }

        @Override
        public boolean sleep(long nanos) {
            long time = watcher != null && trusted ? LONGEST_SLEEP : Math.min(nanos, longestSleep());
            if (!arm()) {
                return true;
            }
            unlock();
            try {
                return chores.isEmpty() && poll(time);
            } finally {
                lock.lock();
                engine.own();
                wakeup.calm();
                disarm();
            }
        }

        @Override
        boolean isWanted() {
            return watcher != null || lock.hasQueuedThreads();
        }

        @Override
        public void close() {
            super.close();
            wakeup.close();
        }
    }

    /** Does what was left for the thread that has its turn. Returns whether there was anything. */
    boolean doChores() {
        boolean any = false;
        for (int present = chores.size(); present > 0; present--) { // what these leave is for the next round
            Runnable chore = chores.poll();
            if (chore == null) {
                break; // taken back
            }
            any = true;
            try {
                chore.run();
            } catch (Throwable t) {
                failures.accept(t);
            }
        }
        return any;
    }

    /** Whether there is something for the thread that has its turn. */
    boolean hasChores() {
        return !chores.isEmpty();
    }

    /** Nobody else gets a turn from here on; who watches goes. The loop's thread, in its turn. */
    void close() {
        closing = true;
        while (watcher != null) {
            watchSleeper.wake();
            unlock();
            Thread.yield();
            lock.lock();
            engine.own();
        }
        disarm();
        watchSleeper.close();
    }

    // ---- any thread

    /** Has whoever has its turn, or gets it next, do something soon. */
    void add(Runnable chore) {
        chores.add(chore);
    }

    /** Takes back what {@link #add} was given; false if it is being done. */
    boolean takeBack(Runnable chore) {
        return chores.remove(chore);
    }

    /** What was added is done now, by this thread if the engine is free, else by the one that has its turn. */
    void doSoon() {
        boolean again = true;
        while (again && hasChores() && !engine.isMine()) {
            if (!mayLead()) {
                loopSleeper.wake();
                return;
            }
            if (!lock.tryLock()) {
                return; // who has it looks again when it has given it back
            }
            again = takeTurn();
        }
    }

    private boolean mayLead() {
        return !closing && !Thread.currentThread().isVirtual() && !engine.isKept() && !lock.hasQueuedThreads();
    }

    /** With the lock, which it gives back. Returns false if the rest is another thread's. */
    private boolean takeTurn() {
        begin();
        boolean rests = false;
        try {
            if (!isOneOfMany()) {
                doChores();
                rests = leavesSoon() || settle();
            }
        } catch (RuntimeException e) {
            failures.accept(e);
        } finally {
            unlock();
            if (!rests) {
                wakeWatcher();
            }
        }
        return rests;
    }

    private boolean isOneOfMany() {
        long now = System.nanoTime();
        sendsInARow = now - lastSend < ROW_NANOS ? sendsInARow + 1 : 0;
        lastSend = now;
        return sendsInARow >= SENDS_IN_A_ROW;
    }

    private void wakeWatcher() {
        if (watcher == null) {
            loopSleeper.wake();
        } else {
            watchSleeper.wake();
        }
    }

    /**
     * Makes progress until {@code done}, if the engine is free; or until another thread wants it. Returns false if it
     * was not free.
     */
    boolean lead(BooleanSupplier done, long deadline) {
        if (watcher != null || !mayLead() || !lock.tryLock()) {
            return false;
        }
        if (watcher != null || closing || engine.isKept()) {
            lock.unlock();
            return false;
        }
        begin();
        watcher = Thread.currentThread();
        sendsInARow = 0;
        try {
            progressUntil(done, deadline);
        } catch (RuntimeException e) {
            failures.accept(e);
        } finally {
            leave();
        }
        doSoon();
        return true;
    }

    /** May end without the lock. */
    private void progressUntil(BooleanSupplier done, long deadline) {
        while (!closing && !engine.isKept()) {
            boolean worked = round();
            limit.worked(worked);
            if (done.getAsBoolean() || lock.hasQueuedThreads()) {
                spins.worked();
                return;
            }
            if (worked) {
                if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                    return;
                }
                spins.worked();
            } else if (!spins.again() && !rest(done, deadline)) {
                return;
            }
        }
    }

    /** Sleeps without the lock. Returns false if this thread is to go, perhaps without having got the lock again. */
    private boolean rest(BooleanSupplier done, long deadline) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
            return false;
        }
        long time = Math.min(Math.min(left, UNTIL_INTERRUPT), Math.min(limit.nanos(), watchSleeper.longestSleep()));
        loopSleeper.lookAway();
        if (!arm()) {
            return true;
        }
        watchSleeper.announce();
        boolean event = false;
        boolean again = true;
        unlock();
        try {
            if (!done.getAsBoolean() && !hasChores() && !closing) {
                event = watchSleeper.poll(time);
            }
        } finally {
            watchSleeper.retract();
            again = lockAgain(deadline);
        }
        if (again) {
            disarm();
            limit.slept(event);
        }
        return again;
    }

    private boolean lockAgain(long deadline) {
        try {
            if (lock.tryLock() || lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                engine.own();
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** The loop's thread watches again. */
    private void leave() {
        boolean mine = lock.isHeldByCurrentThread();
        boolean rests = false;
        try {
            if (mine) {
                watcher = null;
                rests = leavesSoon() || settle();
            }
        } catch (RuntimeException e) {
            failures.accept(e);
        } finally {
            watcher = null;
            if (mine) {
                unlock();
            }
            if (!rests || !trusted) {
                loopSleeper.wake();
            }
        }
    }

    /** The calling thread has got the lock, and takes its turn. */
    private void begin() {
        engine.own();
        closeTurns = System.nanoTime() - ended < CLOSE_NANOS ? closeTurns + 1 : 0;
        disarm();
    }

    /** Whether another turn is to follow soon: a timer is all that watches until then. */
    private boolean leavesSoon() {
        if (closeTurns < CLOSE_TURNS || watcher != null || hasChores() || engine.isKept()) {
            return false;
        }
        if (engine.transport().prepareToSleep()) {
            return false;
        }
        loopSleeper.lookSoon(System.nanoTime());
        return true;
    }

    /** Leaves nothing to be done where possible, and arms the engine. Returns whether it is. */
    private boolean settle() {
        for (int rounds = 0; rounds < LAST_ROUNDS; rounds++) {
            if (engine.isKept()) {
                return false;
            }
            if (!round()) {
                return arm();
            }
        }
        return false;
    }

    /** Wakes a thread that waits for what has come. */
    void wake(Thread thread) {
        if (thread == watcher && thread != Thread.currentThread()) {
            watchSleeper.wake();
        }
    }

    // ---- with the lock

    /** Returns whether there was anything to do. */
    private boolean round() {
        boolean worked;
        try {
            worked = engine.progress(EVENTS_PER_ROUND, 0) != 0;
        } catch (Throwable t) {
            failures.accept(t);
            worked = true;
        }
        boolean chored = doChores();
        return worked || chored;
    }

    /** Returns false if there is something to do already. */
    private boolean arm() {
        if (hasChores() || engine.transport().prepareToSleep()) {
            return false;
        }
        if (watcher == null) {
            loopSleeper.look();
        }
        PeCalls.requestNotification(engine.handle());
        armed = true;
        return true;
    }

    private void disarm() {
        if (armed) {
            armed = false;
            Notifications.clear(engine, handle);
        }
    }

    private void unlock() {
        ended = System.nanoTime();
        engine.disown();
        lock.unlock();
    }
}
