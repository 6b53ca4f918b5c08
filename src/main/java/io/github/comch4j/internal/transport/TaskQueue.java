package io.github.comch4j.internal.transport;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.TaskCalls;
import java.lang.foreign.MemorySegment;

/**
 * Carries the tasks of a producer, consumer or DMA context to DOCA: one by one, or many at a time with the batch
 * library. Both forms behave alike; a queued task that DOCA refuses ends as one that failed.
 *
 * <p>A task is known by its slot, which is its user data. All methods belong to the engine's owner.
 */
public abstract sealed class TaskQueue permits BatchedTaskQueue, PlainTaskQueue {
    /** How a task ends that was queued when its producer or consumer did: as those in flight are flushed. */
    static final int CANCELLED = DocaError.IO_FAILED.code();

    final TaskKind kind;
    final long[] typed; // the tasks as what they do, 0: not allocated
    final long[] tasks; // the same as struct doca_task
    private final long[] buffers; // what each task has, of a copy its destination: DOCA gets changes only
    private final int[] consumers; // of sends
    private final boolean[] immediates; // whether a send has some
    private final long[] sources; // of copies

    TaskQueue(TaskKind kind, int slots) {
        this.kind = kind;
        boolean sends = kind == TaskKind.SEND;
        typed = new long[slots];
        tasks = new long[slots];
        buffers = new long[slots];
        consumers = sends ? new int[slots] : null;
        immediates = sends ? new boolean[slots] : null;
        sources = kind == TaskKind.COPY ? new long[slots] : null;
    }

    /** Called by DOCA when a task succeeded. */
    public abstract MemorySegment completedCallback();

    /** Called by DOCA when a task failed. */
    public abstract MemorySegment failedCallback();

    /**
     * A task has been allocated for a slot: sets its user data.
     *
     * @param allocated the task as a send, post-receive or copy
     * @param task the same as {@code struct doca_task}
     * @param buffer the {@code doca_buf} it was allocated with, or 0
     */
    public final void allocated(int slot, long allocated, long task, long buffer) {
        allocated(slot, allocated, task, buffer, 0);
    }

    private void allocated(int slot, long allocated, long task, long buffer, int consumer) {
        typed[slot] = allocated;
        tasks[slot] = task;
        buffers[slot] = buffer;
        TaskCalls.setUserData(task, slot);
        setTask(slot, buffer, consumer);
    }

    /** As {@link #allocated}, of a send. */
    public final void allocatedSend(int slot, long allocated, long task, long buffer, int consumer, boolean immediate) {
        allocated(slot, allocated, task, buffer, consumer);
        consumers[slot] = consumer;
        immediates[slot] = immediate;
    }

    /** As {@link #allocated}, of a copy; its source and destination are {@code doca_buf}s. */
    public final void allocatedCopy(int slot, long allocated, long task, long source, long destination) {
        allocated(slot, allocated, task, destination);
        sources[slot] = source;
        sourceAllocated(slot, source);
    }

    /** The slot's task as a send, post-receive or copy; 0 if it is not allocated. */
    public final long typed(int slot) {
        return typed[slot];
    }

    /** Frees the slot's task, if there is one, which is not in flight. */
    public final void free(int slot) {
        if (typed[slot] != 0) {
            TaskCalls.free(tasks[slot]);
            typed[slot] = 0;
            tasks[slot] = 0;
        }
    }

    /** The {@code doca_buf} that the slot's task had last, or 0. */
    final long buffer(int slot) {
        return buffers[slot];
    }

    /** What the slot's task is to be submitted with. */
    public final void prepare(int slot, long buffer) {
        if (buffers[slot] != buffer) {
            buffers[slot] = buffer;
            setBuffer(slot, buffer);
        }
    }

    /**
     * As {@link #prepare}, of a send, whose task must not be in flight.
     *
     * @param immediate where the immediate data are, or 0; they stay as they are until the task is submitted
     */
    public final void prepareSend(int slot, long buffer, int consumer, long immediate, int length) {
        prepare(slot, buffer);
        if (consumers[slot] != consumer) {
            consumers[slot] = consumer;
            setConsumer(slot, consumer);
        }
        if (length > 0 || immediates[slot]) {
            immediates[slot] = length > 0;
            setImmediate(slot, immediate, length);
        }
    }

    /** Whether the slot's task, which has been prepared, goes to this consumer and has no immediate data. */
    public final boolean isPlainSendTo(int slot, int consumer) {
        return consumers[slot] == consumer && !immediates[slot];
    }

    /** As {@link #prepare}, of a copy. */
    public final void prepareCopy(int slot, long source, long destination) {
        prepare(slot, destination);
        if (sources[slot] != source) {
            sources[slot] = source;
            setSource(slot, source);
        }
    }

    void sourceAllocated(int slot, long source) {}

    abstract void setSource(int slot, long source);

    /** As {@link #moveData}, of the source of a slot's copy. */
    public abstract int moveSource(int slot, long source, long data, long length);

    /** A task has been allocated with this buffer and consumer. */
    void setTask(int slot, long buffer, int consumer) {}

    abstract void setBuffer(int slot, long buffer);

    abstract void setConsumer(int slot, int consumer);

    /** The data segment of the slot's buffer has moved. Returns {@code doca_error_t}. */
    public abstract int moveData(int slot, long buffer, long data, long length);

    abstract void setImmediate(int slot, long immediate, int length);

    /** Submits now, behind what is queued; returns {@code doca_error_t}. */
    public abstract int submit(int slot);

    /**
     * Submits a receive now, or with the next progress if many buffers are posted; returns {@code doca_error_t},
     * success if later.
     *
     * @param posted how many buffers are posted, this one and those that wait included: the peer misses those that
     *     wait, never more than a quarter
     */
    public abstract int submitSoon(int slot, int posted);

    /**
     * As {@link #submitSoon}, of the buffer that the slot's task had last, without the data that it received, and
     * otherwise as it is.
     */
    public abstract int submitEmpty(int slot, int posted);

    /**
     * As {@link #submitEmpty(int, int)}, of {@code number} slots from {@code first} on, which a ring has told of
     * together; with the batch library.
     */
    public void submitEmpty(int first, int number, int posted) {
        throw new AssertionError("without the batch library receives end one by one");
    }

    /** Puts a send or copy into the queue. */
    public abstract void enqueue(int slot);

    /**
     * Puts the sends of {@code number} slots from {@code first} on into the queue, in their order. They may wait there
     * for the next progress.
     */
    public void enqueue(int first, int number) {
        for (int slot = first; slot < first + number; slot++) {
            enqueue(slot);
        }
    }

    /**
     * Submits a send now if nothing is queued, and otherwise puts it into the queue and submits that. Returns whether
     * nothing is queued any more.
     */
    public boolean submitOrEnqueue(int slot) {
        enqueue(slot);
        return flush() == 0;
    }

    /** Submits the queue in order until DOCA answers AGAIN; returns how many are left. */
    public abstract int flush();

    /** How many are in the queue. */
    public abstract int queued();

    /** How many submits out of the queue DOCA has answered with AGAIN. */
    public abstract long retries();

    /** Ends everything that is queued as failed. */
    public abstract void cancel();

    /** The producer or consumer is gone. */
    public abstract void close();

    /** The power of two that is at least {@code count}. */
    static int powerOfTwo(int count) {
        return count == 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
    }
}
