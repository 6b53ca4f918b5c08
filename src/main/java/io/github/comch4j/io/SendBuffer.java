package io.github.comch4j.io;

import io.github.comch4j.internal.life.LoopThread;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How much a socket has in its send buffer, and the threads that wait: for room, which they get in the order of their
 * calls, half of the buffer at a time; until what was in it has gone; or until the peer has it. What threads take and
 * what the loop gives back are counted apart, from the beginning of the connection, so that each count has one kind of
 * writer.
 */
final class SendBuffer {
    private final LoopThread loop;
    private final AtomicLong taken = new AtomicLong();
    private volatile long given; // what the loop has counted
    private long counted; // in the loop
    private volatile long limit; // of what is taken and not given
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Waiter> forWritable = new ArrayDeque<>(); // guarded by lock, as the next
    private final ArrayDeque<Waiter> forGiven = new ArrayDeque<>();
    private final ArrayDeque<Waiter> forArrival = new ArrayDeque<>();
    private volatile boolean writableAwaited; // there is one in forWritable
    private volatile boolean anyAwaited; // or in forGiven
    private volatile boolean arrivalAwaited; // there is one in forArrival
    private volatile long arrived; // messages, that the peer is known to have
    private volatile boolean ended;

    private final Consumer<PendingSend> added; // gets the messages of those who have waited for room

    /** A thread that waits. */
    private final class Waiter implements BooleanSupplier {
        final Thread thread = Thread.currentThread();
        final @Nullable PendingSend send; // to be added when there is room for it
        final long amount; // to take, or that is to have been given, or to have arrived
        volatile boolean served;

        Waiter(@Nullable PendingSend send, long amount) {
            this.send = send;
            this.amount = amount;
        }

        @Override
        public boolean getAsBoolean() {
            return served;
        }

        void serve() {
            served = true;
            loop.wake(thread);
        }
    }

    SendBuffer(LoopThread loop, long limit, Consumer<PendingSend> added) {
        this.loop = loop;
        this.limit = limit;
        this.added = added;
    }

    /** A message may be as long as that, and several are to find buffer. In the loop, before anything is taken. */
    void atLeast(long bytes) {
        limit = Math.max(limit, bytes);
    }

    /** Takes room if there is some, and nobody waits for it. */
    boolean tryTake(long bytes) {
        return writableAwaited ? ended : take(bytes) || ended;
    }

    /** Takes room, whether there is some or not. */
    void takeAnyway(long bytes) {
        taken.addAndGet(bytes);
    }

    private boolean take(long bytes) {
        while (true) {
            long before = taken.get();
            if (before - given + bytes > limit) {
                return false;
            }
            if (taken.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /**
     * Waits for room and takes it; the message is added by who gives the room, so that those who wait together are
     * added in their order. Returns false, and has taken nothing, if there is none at the deadline, or if the thread is
     * interrupted. If nothing is sent any more, returns true and has not added it.
     */
    boolean awaitAndAdd(PendingSend send, long bytes, long deadline) {
        Waiter waiter = new Waiter(send, bytes);
        enter(forWritable, waiter);
        return await(waiter, forWritable, deadline);
    }

    /** Waits until all has been given that is taken now. Returns false as {@link #awaitAndAdd} does. */
    boolean awaitGiven(long deadline) {
        long all = taken.get();
        if (isGiven(all)) {
            return true;
        }
        Waiter waiter = new Waiter(null, all);
        enter(forGiven, waiter);
        return await(waiter, forGiven, deadline);
    }

    /** Waits until nothing is sent any more. Returns false as {@link #awaitAndAdd} does. */
    boolean awaitEnd(long deadline) {
        Waiter waiter = new Waiter(null, Long.MAX_VALUE);
        enter(forGiven, waiter);
        return await(waiter, forGiven, deadline);
    }

    /**
     * Waits until the peer has so many messages; {@code look} has the loop look how many it has. Returns false as
     * {@link #awaitAndAdd} does.
     */
    boolean awaitArrival(long messages, long deadline, Runnable look) {
        if (arrived >= messages || ended) {
            return true;
        }
        Waiter waiter = new Waiter(null, messages);
        enter(forArrival, waiter);
        look.run();
        return await(waiter, forArrival, deadline);
    }

    /** So many messages have arrived. In the loop. Returns whether somebody waits for more. */
    boolean arrived(long messages) {
        arrived = messages;
        if (arrivalAwaited) {
            serveAll();
        }
        return arrivalAwaited;
    }

    /** How much has been taken, for {@link #isGiven}. */
    long taken() {
        return taken.get();
    }

    /** Whether so much has been given as was taken then. */
    boolean isGiven(long all) {
        return given >= all || ended;
    }

    private void enter(ArrayDeque<Waiter> queue, Waiter waiter) {
        lock.lock();
        try {
            queue.add(waiter);
            look();
            serve(); // what was given before anybody could see the waiter
        } finally {
            lock.unlock();
        }
    }

    private boolean await(Waiter waiter, ArrayDeque<Waiter> queue, long deadline) {
        try {
            var _ = loop.await(waiter, deadline, "a socket's messages to go out");
        } finally {
            if (!waiter.served) {
                leave(queue, waiter);
            }
        }
        return waiter.served;
    }

    private void leave(ArrayDeque<Waiter> queue, Waiter waiter) {
        lock.lock();
        try {
            if (queue.remove(waiter)) {
                look();
                serve(); // those behind it may need less
            }
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        writableAwaited = !forWritable.isEmpty();
        anyAwaited = writableAwaited || !forGiven.isEmpty();
        arrivalAwaited = !forArrival.isEmpty();
    }

    private void serve() {
        if (ended) {
            forWritable.forEach(Waiter::serve);
            forWritable.clear();
        } else if (taken.get() - given <= limit / 2) {
            while (!forWritable.isEmpty() && take(forWritable.element().amount)) {
                Waiter waiter = forWritable.remove();
                if (waiter.send != null) {
                    waiter.send.added = true;
                    added.accept(waiter.send);
                }
                waiter.serve();
            }
        }
        serve(forGiven, given);
        serve(forArrival, arrived);
        look();
    }

    private void serve(ArrayDeque<Waiter> queue, long amount) {
        for (Iterator<Waiter> waiters = queue.iterator(); waiters.hasNext(); ) {
            Waiter waiter = waiters.next();
            if (ended || amount >= waiter.amount) {
                waiters.remove();
                waiter.serve();
            }
        }
    }

    /** So much has been sent, or has failed. In the loop. */
    void give(long bytes) {
        counted += bytes;
        given = counted;
        if (anyAwaited) {
            serveAll();
        }
    }

    /** Nothing is sent any more, and nobody is to wait. */
    void end() {
        ended = true;
        serveAll();
    }

    private void serveAll() {
        lock.lock();
        try {
            serve();
        } finally {
            lock.unlock();
        }
    }
}
