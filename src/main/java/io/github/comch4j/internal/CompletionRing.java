package io.github.comch4j.internal;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * An engine's half of the batched fast path: what has happened waits here, in its order, until the program progresses: tasks that
 * ended, and changes of state of producers and consumers.
 *
 * <p><b>Order.</b> All callbacks of an engine run in the order of their events: an upcall of another kind first has the tasks delivered that ended before
 * it ({@link #settle}). <b>Room.</b> The ring has a place for each task of the engine's producers and consumers, and a task is in it at most once;
 * and for a whole life of each context, which nothing but a call from here can begin. All methods
 * belong to the engine's owner.
 */
public final class CompletionRing {
    /** So many rounds in one downcall at most: enough that its price does not matter, few enough that the first message does not wait for the last. */
    private static final int MAX_ROUNDS = 32;

    /** Instead of the states of an entry: told out of turn. */
    private static final long TOLD = -1;

    private final Engine engine;
    private final Arena arena = Arena.ofShared(); // closed with the engine, which may have been handed to another thread
    private final long address; // struct batch_engine
    private long entries;
    private int mask;
    private int head;
    private Context[] contexts = new Context[4]; // by index
    private BatchedLane[] lanes = new BatchedLane[4];
    private int slots;
    private int queuedSends; // lanes of producers that may have queued sends
    private boolean delivering;
    private int left; // while delivering: how many more
    private int lastTail; // as far as known
    private boolean prefetches = true;

    CompletionRing(Engine engine, long pe) {
        this.engine = engine;
        this.address = arena.allocate(Batch.ENGINE_SIZE, 64).address();
        Batch.setLong(address + Batch.ENGINE_PE, pe);
        resize(64);
    }

    long address() {
        return address;
    }

    /** Makes room for a producer or consumer; returns its index. */
    int add(Context context, BatchedLane lane, int tasks) {
        slots += tasks + Batch.STATES;
        if (slots > mask + 1) {
            resize(Math.max(2 * (mask + 1), Lane.powerOfTwo(slots)));
        }
        int index = 0;
        while (index < contexts.length && contexts[index] != null) {
            index++;
        }
        if (index == contexts.length) {
            contexts = Arrays.copyOf(contexts, 2 * index);
            lanes = Arrays.copyOf(lanes, 2 * index);
        }
        if (index > 0xffff) {
            throw new IllegalStateException("too many producers and consumers on " + engine.name());
        }
        contexts[index] = context;
        lanes[index] = lane;
        relink();
        return index;
    }

    /** A producer or consumer is gone, and so are its tasks. */
    void remove(int index, int tasks) {
        slots -= tasks + Batch.STATES;
        contexts[index] = null;
        lanes[index] = null;
        relink();
    }

    /** The list that the native side walks. */
    private void relink() {
        long next = 0;
        for (BatchedLane lane : lanes) {
            if (lane != null) {
                Batch.setLong(lane.address() + Batch.CONTEXT_NEXT, next);
                next = lane.address();
            }
        }
        Batch.setLong(address + Batch.ENGINE_CONTEXTS, next);
    }

    private void resize(int capacity) {
        long bigger = arena.allocate((long) capacity << Batch.ENTRY_SHIFT, 64).address();
        for (int i = head; i != tail(); i++) {
            for (int at = 0; at < 1 << Batch.ENTRY_SHIFT; at += Long.BYTES) {
                Batch.setLong(bigger + ((long) (i & capacity - 1) << Batch.ENTRY_SHIFT) + at, Batch.getLong(entry(i) + at));
            }
        }
        entries = bigger;
        mask = capacity - 1;
        Batch.setLong(address + Batch.ENGINE_RING, entries);
        Batch.setInt(address + Batch.ENGINE_RING_MASK, mask);
    }

    private long entry(int position) {
        return entries + ((long) (position & mask) << Batch.ENTRY_SHIFT);
    }

    private int tail() {
        return Batch.getInt(address + Batch.ENGINE_TAIL);
    }

    /**
     * Runs callbacks until nothing is ready, {@code limit} things have happened or one threw, which the engine keeps. The engine is in callbacks.
     *
     * @return how many things happened
     */
    int progress(int limit) {
        int done = 0;
        if (head != tail()) {
            if (queuedSends > 0) {
                flushSends();
            }
            done = deliver(limit, false);
        }
        while (done < limit && !engine.hasFailed()) {
            // a server or client has callbacks of its own, which must not come in numbers when one thing was asked for
            int ask = limit - done == 1 && prefetches && !engine.hasUpcallContexts() ? MAX_ROUNDS : Math.min(limit - done, MAX_ROUNDS);
            restart();
            int before = head;
            int rounds = Batch.progress(address, ask);
            done += Batch.getInt(address + Batch.ENGINE_OTHERS) + head - before; // those before an upcall are delivered already
            if (head != tail() && done < limit && !engine.hasFailed()) {
                done += deliver(limit - done, false);
            }
            if (rounds < ask) {
                break;
            }
        }
        return done;
    }

    /** When nothing waits, the next entry may be the first: few entries in turns stay in the caches, all in turns do not. */
    private void restart() {
        if (head == tail()) {
            head = 0;
            lastTail = 0;
            Batch.setInt(address + Batch.ENGINE_TAIL, 0);
        }
    }

    /** Delivers up to {@code limit} entries; the first that throws is the last, unless all must go. */
    private int deliver(int limit, boolean all) {
        delivering = true;
        left = limit;
        try {
            while (left > 0 && hasNext()) {
                try {
                    deliverSome();
                } catch (Throwable t) {
                    engine.fail(t);
                    if (!all) {
                        break;
                    }
                }
            }
        } finally {
            delivering = false;
        }
        return limit - left;
    }

    private boolean hasNext() {
        return head != lastTail || head != (lastTail = tail());
    }

    /** A change of state, or the tasks of one context up to the next entry of another one. */
    private void deliverSome() {
        long entry = entry(head);
        long what = Batch.getLong(entry + Batch.ENTRY_WHAT);
        Context context = contexts[index(what)];
        if ((int) what == Batch.STATE) {
            head++;
            left--;
            tellState(context, entry);
        } else {
            context.slotsEnded(this, index(what));
        }
    }

    private static int index(long what) {
        return (int) (what >>> 32) & 0xffff;
    }

    /**
     * For {@link Context#slotsEnded}: takes the next entry if it is of a task of that context.
     *
     * @return its address, valid until something is submitted, or 0
     */
    public long next(int index) {
        if (left > 0 && hasNext()) {
            long entry = entry(head);
            long what = Batch.getLong(entry + Batch.ENTRY_WHAT);
            if (index(what) == index && (int) what != Batch.STATE) {
                head++;
                left--;
                return entry;
            }
        }
        return 0;
    }

    /** Whose task an entry is about: the slot, and the status ({@code doca_error_t}) in the uppermost 16 bits. */
    public static long what(long entry) {
        return Batch.getLong(entry + Batch.ENTRY_WHAT);
    }

    private static void tellState(Context context, long entry) {
        long states = Batch.getLong(entry + Batch.ENTRY_DATA_LEN);
        if (states != TOLD) {
            Batch.setLong(entry + Batch.ENTRY_DATA_LEN, TOLD);
            context.enter((int) states, (int) (states >>> 32));
        }
    }

    /** Before an upcall: what ended earlier is told earlier. Not inside another callback, which cannot be interrupted by them. */
    void settle() {
        if (head != tail() && !delivering) {
            deliver(Integer.MAX_VALUE, true);
        }
    }

    /**
     * After a call that changes a context's state, which the caller is going to rely on. Inside a callback only that is told out of turn: for the rest see
     * {@link #settle()}.
     */
    void settle(Context context) {
        if (!delivering) {
            settle();
            return;
        }
        for (int i = head; i != tail(); i++) {
            long what = Batch.getLong(entry(i) + Batch.ENTRY_WHAT);
            if ((int) what == Batch.STATE && contexts[index(what)] == context) {
                try {
                    tellState(context, entry(i));
                } catch (Throwable t) {
                    engine.fail(t);
                }
            }
        }
    }

    /** A callback threw: the native loop is to end. */
    void stop() {
        Batch.setInt(address + Batch.ENGINE_STOP, 1);
    }

    /** A producer's queue is not empty any more, or is again. */
    void sendsQueued(int difference) {
        queuedSends += difference;
    }

    /** Before the engine sleeps, and when it is going to: nothing may wait in a queue, or here, while its descriptor tells of no event. */
    boolean prepareToSleep() {
        prefetches = false;
        for (BatchedLane lane : lanes) {
            if (lane != null) {
                lane.flush();
            }
        }
        return head != tail();
    }

    private void flushSends() {
        for (BatchedLane lane : lanes) {
            if (lane != null && lane.hasQueuedSends()) {
                lane.flush();
            }
        }
    }

    void close() {
        arena.close();
    }
}
