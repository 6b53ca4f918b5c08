package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Cores;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ConnectionClosedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One thread of an end, with a connection to its counterpart of the other end. */
abstract class Lane implements Runnable {
    static final long NAP = 5_000_000;

    final Plan plan;
    final PerfEndpoint place;
    private final int number;
    private final AtomicLong moved = new AtomicLong(); // so far, sent or received or there and back
    private volatile boolean lostPeer;

    // What the thread itself tells.
    volatile boolean ready; // its server can be connected to
    volatile boolean finished; // all is done but closing
    volatile long sent = -1; // so many, and there will be no more; -1: it is still sending
    volatile @Nullable LaneResult result;
    volatile @Nullable Throwable failure;

    // What others tell it.
    volatile boolean stopped; // it is to send no more
    volatile boolean aborted;
    volatile boolean mayClose;
    volatile long expected = -1; // how many the peer has sent; -1: it has not said so yet

    Lane(Plan plan, PerfEndpoint place, int number) {
        this.plan = plan;
        this.place = place.of(number);
        this.number = number;
    }

    static Lane of(Plan plan, PerfEndpoint place, int number) {
        return switch (plan.kind()) {
            case CALLS -> new CallLane(plan, place, number);
            case SOCKETS -> new SocketLane(plan, place, number);
            case MSGQ -> throw new IllegalArgumentException("it has one end");
            default -> plan.latency() ? new RoundLane(plan, place, number) : new StreamLane(plan, place, number);
        };
    }

    /** Until it is to be closed. */
    abstract void work() throws InterruptedException;

    @Override
    public void run() {
        try {
            work();
        } catch (Throwable t) { // also an Error: the other threads would wait for ever
            failure = t;
        }
        ready = true;
        finished = true;
    }

    void bind() {
        switch (plan.binding()) {
            case SHARED -> Cores.bind(2 * number + (place.isServer() ? 0 : 1));
            case OWN -> Cores.bind(number);
            case NONE -> {}
        }
    }

    void check() {
        if (aborted) {
            throw new ProgramException("another thread has failed");
        }
    }

    /** What to fail with when the connection has ended before its time. */
    ProgramException peerLost() {
        lostPeer = true;
        return new ProgramException("the other end has gone");
    }

    void report(long count) {
        moved.lazySet(count);
    }

    /** Has each question answered before the next one is asked, until there were enough. */
    void askInTurn(Runnable question) {
        Rounds rounds = new Rounds(plan);
        long number = 0;
        long began = System.nanoTime();
        do {
            question.run();
            check();
            report(++number);
        } while (rounds.record() && !stopped);
        this.sent = number;
        result = LaneResult.of(rounds, began);
    }

    void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PerfConnection.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            check();
            if (System.nanoTime() - deadline > 0) {
                throw ProgramException.inVain(PerfConnection.PATIENCE, what);
            }
        }
    }

    void sleepUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            check();
            LockSupport.parkNanos(NAP);
        }
    }

    /** Whether it has failed, as its peer is no longer there, which may have said why on the connection for orders. */
    boolean hasLostPeer() {
        return lostPeer || failure instanceof ConnectionClosedException;
    }

    long moved() {
        return moved.get();
    }
}
