package io.github.comch4j.internal;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * An engine's half of the batched fast path: tasks that have ended wait here, in the order in which they ended, until the program progresses.
 *
 * <p><b>Order.</b> All callbacks of an engine run in the order of their events: an upcall of another kind first has the tasks delivered that ended before
 * it ({@link #settle}). <b>Room.</b> The ring has a place for each task of the engine's producers and consumers, and a task is in it at most once. All methods
 * belong to the engine's owner.
 */
final class CompletionRing {
    /** So many rounds in one downcall at most: enough that its price does not matter, few enough that the first message does not wait for the last. */
    private static final int MAX_ROUNDS = 32;

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
        slots += tasks;
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
        slots -= tasks;
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

    /** Delivers up to {@code limit} ended tasks; the first that throws is the last, unless all must go. */
    private int deliver(int limit, boolean all) {
        delivering = true;
        int count = 0;
        try {
            while (count < limit && head != tail()) {
                long entry = entry(head++);
                count++;
                Context context = contexts[Batch.getShort(entry + Batch.ENTRY_CONTEXT) & 0xffff];
                try {
                    context.slotEnded(Batch.getInt(entry + Batch.ENTRY_SLOT), Batch.getShort(entry + Batch.ENTRY_STATUS), entry);
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
        return count;
    }

    /** Before an upcall: what ended earlier is told earlier. Not inside another callback, which cannot be interrupted by them. */
    void settle() {
        if (head != tail() && !delivering) {
            deliver(Integer.MAX_VALUE, true);
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
