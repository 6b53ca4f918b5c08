package io.github.comch4j.internal;

import io.github.comch4j.DocaError;
import java.lang.foreign.MemorySegment;

/** Without the native helper: a downcall for each thing to tell, an upcall for each task that ended. A task's user data is its slot. */
final class PlainLane extends Lane {
    private final Context context;
    private final Engine engine;
    private final long[] typed;
    private final long[] tasks;
    // both used from front to back, as rings with a place for each task
    private final int[] queue;
    private int queueHead;
    private int queueTail;
    private final int[] refused;
    private final int[] statuses;
    private int refusedHead;
    private int refusedTail;
    private boolean flushing;
    private long stalls;

    PlainLane(Context context, boolean receives, int tasks) {
        super(receives, tasks);
        this.context = context;
        this.engine = context.engine();
        this.typed = new long[tasks];
        this.tasks = new long[tasks];
        this.queue = new int[receives ? 0 : powerOfTwo(tasks)];
        this.refused = new int[queue.length];
        this.statuses = new int[queue.length];
        engine.add(this);
    }

    @Override
    public MemorySegment completedCallback() {
        return Upcalls.TASK_COMPLETED;
    }

    @Override
    public MemorySegment failedCallback() {
        return Upcalls.TASK_FAILED;
    }

    @Override
    public void adopt(int slot, long newTyped, long task, long buffer, int consumer) {
        super.adopt(slot, newTyped, task, buffer, consumer);
        typed[slot] = newTyped;
        tasks[slot] = task;
        TaskCalls.setUserData(task, slot);
    }

    @Override
    public void prepare(int slot, long buffer, int consumer) {
        if (buffers[slot] != buffer) {
            buffers[slot] = buffer;
            if (receives) {
                ConsumerCalls.setBuffer(typed[slot], buffer);
            } else {
                ProducerCalls.setBuffer(typed[slot], buffer);
            }
        }
        if (!receives && consumers[slot] != consumer) {
            consumers[slot] = consumer;
            ProducerCalls.setConsumer(typed[slot], consumer);
        }
    }

    @Override
    public int moveData(int slot, long buffer, long data, long length) {
        return BufferCalls.setData(buffer, data, length);
    }

    @Override
    public int submit(int slot) {
        if (queueHead != queueTail && flush() > 0) {
            return DocaError.AGAIN.code();
        }
        return TaskCalls.submit(tasks[slot]);
    }

    @Override
    public int submitSoon(int slot, int posted) {
        return TaskCalls.submit(tasks[slot]);
    }

    @Override
    public int submitEmpty(int slot, long buffer, int posted) {
        int code = BufferCalls.resetDataLength(buffer);
        return code == Calls.SUCCESS ? TaskCalls.submit(tasks[slot]) : code;
    }

    @Override
    public void enqueue(int slot) {
        queue[queueTail++ & queue.length - 1] = slot;
        engine.queued(1);
        if ((queueTail & BATCH - 1) == 0) {
            flush();
        }
    }

    @Override
    public int flush() {
        if (flushing) {
            return queued();
        }
        flushing = true;
        try {
            while (queueHead != queueTail) {
                int slot = queue[queueHead++ & queue.length - 1];
                int code = TaskCalls.submit(tasks[slot]);
                if (code == DocaError.AGAIN.code()) {
                    queueHead--;
                    stalls++;
                    break;
                }
                if (code == Calls.SUCCESS) {
                    engine.queued(-1);
                } else {
                    refuse(slot, code);
                }
            }
        } finally {
            flushing = false;
        }
        return queued();
    }

    private void refuse(int slot, int code) {
        int at = refusedTail++ & refused.length - 1;
        refused[at] = slot;
        statuses[at] = code;
    }

    /** Flushes, and tells the context of one task that was refused, if there is any. */
    boolean work() {
        flush();
        if (refusedHead == refusedTail) {
            return false;
        }
        int at = refusedHead++ & refused.length - 1;
        engine.queued(-1);
        context.slotEnded(refused[at], statuses[at], 0);
        return true;
    }

    boolean hasRefused() {
        return refusedHead != refusedTail;
    }

    @Override
    public int queued() {
        return queueTail - queueHead;
    }

    @Override
    public long stalls() {
        return stalls;
    }

    @Override
    public void cancel() {
        while (queueHead != queueTail) {
            refuse(queue[queueHead++ & queue.length - 1], CANCELLED);
        }
    }

    @Override
    public void close() {
        engine.remove(this);
    }
}
