package io.github.comch4j.internal.transport;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.DmaCalls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import java.lang.foreign.MemorySegment;

/** Without the batch library: a downcall for each setting and submit, an upcall for each task that ended. */
final class PlainTaskQueue extends TaskQueue {
    private final PlainTransport transport;
    private final SlotEvents owner;
    // both used from front to back, as rings with a place for each task
    private final int[] queue;
    private int queueHead;
    private int queueTail;
    private final int[] refused;
    private final int[] statuses;
    private int refusedHead;
    private int refusedTail;
    private boolean flushing;
    private long retries;

    PlainTaskQueue(PlainTransport transport, SlotEvents owner, TaskKind kind, int slots) {
        super(kind, slots);
        this.transport = transport;
        this.owner = owner;
        this.queue = new int[kind == TaskKind.RECEIVE ? 0 : powerOfTwo(slots)];
        this.refused = new int[queue.length];
        this.statuses = new int[queue.length];
    }

    @Override
    public MemorySegment completedCallback() {
        return Upcalls.Stub.TASK_COMPLETED.address();
    }

    @Override
    public MemorySegment failedCallback() {
        return Upcalls.Stub.TASK_FAILED.address();
    }

    @Override
    void setBuffer(int slot, long buffer) {
        switch (kind) {
            case SEND -> ProducerCalls.setBuffer(typed[slot], buffer);
            case RECEIVE -> ConsumerCalls.setBuffer(typed[slot], buffer);
            case COPY -> DmaCalls.setDestination(typed[slot], buffer);
        }
    }

    @Override
    void setSource(int slot, long source) {
        DmaCalls.setSource(typed[slot], source);
    }

    @Override
    public int moveSource(int slot, long source, long data, long length) {
        return BufferCalls.setData(source, data, length);
    }

    @Override
    void setConsumer(int slot, int consumer) {
        ProducerCalls.setConsumer(typed[slot], consumer);
    }

    @Override
    public int moveData(int slot, long buffer, long data, long length) {
        return BufferCalls.setData(buffer, data, length);
    }

    @Override
    void setImmediate(int slot, long immediate, int length) {
        ProducerCalls.setImmediate(typed[slot], immediate, length);
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
    public int submitEmpty(int slot, int posted) {
        int code = BufferCalls.resetDataLength(buffer(slot));
        return code == Calls.SUCCESS ? TaskCalls.submit(tasks[slot]) : code;
    }

    @Override
    public void enqueue(int slot) {
        queue[queueTail++ & queue.length - 1] = slot;
        transport.queued(1);
        if ((queueTail & Batch.QUEUED - 1) == 0) {
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
                    retries++;
                    break;
                }
                if (code == Calls.SUCCESS) {
                    transport.queued(-1);
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

    /** Flushes, and reports one task that was refused, if there is any. */
    boolean work() {
        flush();
        if (!hasRefused()) {
            return false;
        }
        int at = refusedHead++ & refused.length - 1;
        transport.queued(-1);
        try {
            owner.slotEnded(refused[at], statuses[at]);
        } catch (Throwable t) {
            owner.failed(t);
        }
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
    public long retries() {
        return retries;
    }

    @Override
    public void cancel() {
        while (queueHead != queueTail) {
            refuse(queue[queueHead++ & queue.length - 1], CANCELLED);
        }
    }

    @Override
    public void close() {
        transport.remove(this);
    }
}
