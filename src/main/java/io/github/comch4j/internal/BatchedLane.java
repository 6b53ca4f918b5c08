package io.github.comch4j.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** With the native helper: slots and queue are in memory that it shares, a task's user data is the number of its slot. */
final class BatchedLane extends Lane {
    private static final class Callbacks {
        static final MemorySegment SENT = Batch.callback("comch4j_batch_sent");
        static final MemorySegment NOT_SENT = Batch.callback("comch4j_batch_not_sent");
        static final MemorySegment RECEIVED = Batch.callback("comch4j_batch_received");
        static final MemorySegment NOT_RECEIVED = Batch.callback("comch4j_batch_not_received");
        static final MemorySegment STATE = Batch.callback("comch4j_batch_state");
    }

    private final CompletionRing ring;
    private final Arena arena = Arena.ofShared();
    private final int tasks;
    private final int index;
    private final long context; // struct batch_context
    private final long slots;
    private final long data;
    private final long queue;
    private final int queueMask;
    private final long anyQueued; // batch_engine.queued
    private int queueTail;
    private int queueHead; // as far as known: the native side moves it
    private boolean queuedSends;

    BatchedLane(CompletionRing ring, Context owner, long view, boolean receives, int tasks) {
        super(receives, tasks);
        this.ring = ring;
        this.tasks = tasks;
        int capacity = powerOfTwo(tasks);
        this.queueMask = capacity - 1;
        this.context = arena.allocate(Batch.CONTEXT_SIZE, 64).address();
        this.slots = arena.allocate((long) tasks << Batch.SLOT_SHIFT, 64).address();
        this.data = arena.allocate((long) tasks << Batch.DATA_SHIFT, 64).address();
        this.queue = arena.allocate((long) capacity * Integer.BYTES, 64).address();
        this.index = ring.add(owner, this, tasks);
        this.anyQueued = ring.address() + Batch.ENGINE_QUEUED;
        Batch.setLong(context + Batch.CONTEXT_ENGINE, ring.address());
        Batch.setLong(context + Batch.CONTEXT_CTX, view);
        Batch.setLong(context + Batch.CONTEXT_SLOTS, slots);
        Batch.setLong(context + Batch.CONTEXT_DATA, data);
        Batch.setLong(context + Batch.CONTEXT_QUEUE, queue);
        Batch.setInt(context + Batch.CONTEXT_QUEUE_MASK, queueMask);
        Batch.setShort(context + Batch.CONTEXT_INDEX, index);
        Batch.setByte(context + Batch.CONTEXT_RECEIVES, receives ? 1 : 0);
    }

    long address() {
        return context;
    }

    private long slot(int number) {
        return slots + ((long) number << Batch.SLOT_SHIFT);
    }

    @Override
    public MemorySegment completedCallback() {
        return receives ? Callbacks.RECEIVED : Callbacks.SENT;
    }

    @Override
    public MemorySegment failedCallback() {
        return receives ? Callbacks.NOT_RECEIVED : Callbacks.NOT_SENT;
    }

    /** Changes of state go into the ring too: then nothing of this context is an upcall. */
    MemorySegment stateCallback() {
        return Callbacks.STATE;
    }

    long userData() {
        return context;
    }

    @Override
    public void adopt(int number, long typed, long task, long buffer, int consumer) {
        super.adopt(number, typed, task, buffer, consumer);
        long slot = slot(number);
        Batch.setLong(slot + Batch.SLOT_TASK, task);
        Batch.setLong(slot + Batch.SLOT_TYPED, typed);
        Batch.setLong(slot + Batch.SLOT_BUF, buffer);
        Batch.setInt(slot + Batch.SLOT_CONSUMER, consumer);
        Batch.setInt(slot + Batch.SLOT_CHANGES, 0);
        TaskCalls.setUserData(task, number);
    }

    @Override
    public void prepare(int number, long buffer, int consumer) {
        if (buffers[number] != buffer) {
            buffers[number] = buffer;
            long slot = slot(number);
            Batch.setLong(slot + Batch.SLOT_BUF, buffer);
            change(slot, Batch.CHANGED_BUF);
        }
        if (!receives && consumers[number] != consumer) {
            consumers[number] = consumer;
            long slot = slot(number);
            Batch.setInt(slot + Batch.SLOT_CONSUMER, consumer);
            change(slot, Batch.CHANGED_CONSUMER);
        }
    }

    @Override
    public int moveData(int number, long buffer, long start, long length) {
        long segment = data + ((long) number << Batch.DATA_SHIFT);
        Batch.setLong(segment + Batch.DATA_DATA, start);
        Batch.setLong(segment + Batch.DATA_LEN, length);
        change(slot(number), Batch.CHANGED_DATA);
        return Calls.SUCCESS;
    }

    private static void change(long slot, int what) {
        Batch.setInt(slot + Batch.SLOT_CHANGES, Batch.getInt(slot + Batch.SLOT_CHANGES) | what);
    }

    @Override
    public int submit(int number) {
        return Batch.submit(context, number);
    }

    @Override
    public int submitSoon(int number, int posted) {
        return appendReceive(number, posted);
    }

    @Override
    public int submitEmpty(int number, long buffer, int posted) {
        return appendReceive(number | Batch.EMPTY, posted);
    }

    private int appendReceive(int what, int posted) {
        append(what);
        int limit = Math.min(posted >> 2, BATCH);
        if (queueTail - queueHead >= limit) { // that was known of the head
            queueHead = Batch.getInt(context + Batch.CONTEXT_QUEUE_HEAD);
            if (queueTail - queueHead >= limit) {
                flush();
            }
        }
        return Calls.SUCCESS;
    }

    @Override
    public void enqueue(int number) {
        append(number);
        if (!queuedSends) {
            queuedSends = true;
            ring.sendsQueued(1);
        }
        // by position: a consumer without room is not asked again for each send
        if ((queueTail & BATCH - 1) == 0) {
            flush();
        }
    }

    private void append(int what) {
        Batch.setInt(queue + (long) (queueTail & queueMask) * Integer.BYTES, what);
        queueTail++;
        Batch.setInt(context + Batch.CONTEXT_QUEUE_TAIL, queueTail);
        Batch.setInt(anyQueued, 1);
    }

    boolean hasQueuedSends() {
        return queuedSends;
    }

    @Override
    public int flush() {
        int left = queued() == 0 ? 0 : Batch.flush(context);
        if (left == 0 && queuedSends) {
            queuedSends = false;
            ring.sendsQueued(-1);
        }
        return left;
    }

    @Override
    public int queued() {
        return queueTail - Batch.getInt(context + Batch.CONTEXT_QUEUE_HEAD);
    }

    @Override
    public long stalls() {
        return Batch.getLong(context + Batch.CONTEXT_STALLS);
    }

    @Override
    public void cancel() {
        if (queued() > 0) {
            Batch.cancel(context, CANCELLED);
        }
    }

    @Override
    public void close() {
        if (queuedSends) {
            queuedSends = false;
            ring.sendsQueued(-1);
        }
        ring.remove(index, tasks);
        arena.close();
    }
}
