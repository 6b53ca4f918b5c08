package io.github.comch4j.rpc;

import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.link.MpscQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls on their way from the threads that make them to the loop. While there are many, those that are made at about
 * the same time go to the loop together, so that they travel in one message; whoever is nearly alone waits for nobody.
 */
final class CallInbox {
    /** Where there are so many calls in flight, those that are made wait a moment for others. */
    private static final int MANY = 64;

    /** So many virtual threads' calls wait for no others; so many of other threads. */
    private static final int ENOUGH_GATHERED = 200;

    private static final int ENOUGH_HELD = 32;

    /** How long calls wait at most, for each call that there is, and altogether: a small part of what those take. */
    private static final long NANOS_EACH = 100;

    private static final long NANOS = 100_000;

    private final LoopThread loop;
    private final Runnable taker;
    private final IntSupplier inFlight;
    private final MpscQueue<OutgoingFrame> added = new MpscQueue<>();
    private volatile long gatheredSince; // by System.nanoTime(); 0: no virtual thread gathers
    private volatile boolean gathered; // the loop need not wait for more
    private long heldSince; // by System.nanoTime(), in the loop; 0: no calls are held back

    /**
     * {@code taker} is run by the loop when there are calls to take; {@code inFlight} says how many calls there are,
     * and may be asked by any thread.
     */
    CallInbox(LoopThread loop, Runnable taker, IntSupplier inFlight) {
        this.loop = loop;
        this.taker = taker;
        this.inFlight = inFlight;
    }

    // ---- any thread

    /** Adds a call; if the loop is closed, it fails. */
    void add(ClientCall call) {
        if (added.add(call)) {
            if (inFlight.getAsInt() >= MANY && Thread.currentThread().isVirtual()) {
                gather(call.begin());
            } else {
                execute(taker, call);
            }
            return;
        }
        long since = gatheredSince;
        if (since != 0 && call.begin() - since > NANOS) {
            endGathering(); // the gathering thread has not had its turn again
        }
    }

    /**
     * For the virtual thread that has added the first of some calls. It lets the other virtual threads run before it
     * tells the loop, as long as they add calls: the loop that waited for them would take a core from them.
     */
    private void gather(long since) {
        gatheredSince = since == 0 ? 1 : since;
        int before;
        int now = 1;
        do {
            before = now;
            Thread.yield();
            now = added.size();
        } while (now > before && now < ENOUGH_GATHERED);
        if (now > 0 && gatheredSince != 0) {
            endGathering();
        }
    }

    /** What was added before is taken soon: whoever clears the time tells the loop afterwards. */
    private void endGathering() {
        gatheredSince = 0;
        gathered = true;
        execute(taker);
    }

    /** Has the loop do something; if the loop is closed, the calls that nobody has taken fail. */
    void execute(Runnable task) {
        execute(task, null);
    }

    private void execute(Runnable task, @Nullable ClientCall call) {
        try {
            if (call != null && call.isAwaited()) {
                loop.doWhileWaiting(task);
            } else {
                loop.doSoon(task);
            }
        } catch (RejectedExecutionException e) {
            for (OutgoingFrame left = added.takeAll(); left != null; left = left.next()) {
                ((ClientCall) left).fail(RpcException.Kind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
            }
        }
    }

    /** Shows the calls that nobody has taken yet. */
    void forEach(Consumer<? super ClientCall> look) {
        added.forEach(waiting -> look.accept((ClientCall) waiting));
    }

    // ---- the loop

    /** The first of the calls that were added, which leads to the others; null while they wait for more. */
    @Nullable
    OutgoingFrame take() {
        if (!gathered && waitForMore()) {
            execute(taker);
            return null;
        }
        gathered = false;
        return added.takeAll();
    }

    private boolean waitForMore() {
        int all = inFlight.getAsInt();
        int waiting = added.size();
        if (all < MANY || waiting == 0 || waiting >= ENOUGH_HELD) {
            heldSince = 0;
            return false;
        }
        long now = System.nanoTime();
        if (heldSince == 0) {
            heldSince = now;
        } else if (now - heldSince > Math.min(all * NANOS_EACH, NANOS)) {
            heldSince = 0;
            return false;
        }
        return true;
    }
}
