package io.github.comch4j.internal;

import io.github.comch4j.DocaError;
import java.lang.foreign.MemorySegment;

/**
 * How a producer's or consumer's tasks get to DOCA: one by one, or many at a time with the native helper. Both forms behave alike; a task that was queued and
 * is refused when its turn comes ends as one that failed.
 *
 * <p>Tasks are known by slot, their user data leads to it. All methods belong to the engine's owner.
 */
public abstract class Lane {
    /** How a task ends that was queued when its producer or consumer did: as those in flight are flushed. */
    static final int CANCELLED = DocaError.IO_FAILED.code();

    /** So many sends wait in the queue at most before they are submitted. */
    static final int BATCH = 32;

    final boolean receives;
    final long[] buffers; // what each task was told, to tell it changes only
    final int[] consumers;

    /** For a producer or consumer with so many tasks. */
    Lane(boolean receives, int tasks) {
        this.receives = receives;
        buffers = new long[tasks];
        consumers = receives ? null : new int[tasks];
    }

    /**
     * The lane of a context that is not started yet.
     *
     * @param view the {@code struct doca_ctx *}
     */
    public static Lane create(Context context, MemorySegment view, boolean receives, int tasks) {
        CompletionRing ring = context.engine().ring();
        if (ring == null) {
            return new PlainLane(context, receives, tasks);
        }
        BatchedLane lane = new BatchedLane(ring, context, view.address(), receives, tasks);
        context.reportTo(lane.userData(), lane.stateCallback());
        return lane;
    }

    /** Called by DOCA when a task succeeded. */
    public abstract MemorySegment completedCallback();

    /** Called by DOCA when a task failed. */
    public abstract MemorySegment failedCallback();

    /** A new task, as allocated: sets its user data. */
    public void adopt(int slot, long typed, long task, long buffer, int consumer) {
        buffers[slot] = buffer;
        if (!receives) {
            consumers[slot] = consumer;
        }
    }

    /** What the slot's task is to be submitted with. {@code consumer} is of no meaning to receives. */
    public abstract void prepare(int slot, long buffer, int consumer);

    /** The data segment of the slot's buffer has moved. Returns {@code doca_error_t}. */
    public abstract int moveData(int slot, long buffer, long data, long length);

    /** Submits now, behind what is queued; returns {@code doca_error_t}. */
    public abstract int submit(int slot);

    /**
     * Submits a receive now, or with the next progress if many are posted; returns {@code doca_error_t}, success if later.
     *
     * @param posted how many tasks are posted, this one and those that wait included: the other side sees those as missing, never more than a quarter
     */
    public abstract int submitSoon(int slot, int posted);

    /**
     * As {@link #submitSoon}, of the buffer that the slot's task had last, without the data that it received, and otherwise as it is.
     *
     * @param buffer the {@code doca_buf}
     */
    public abstract int submitEmpty(int slot, long buffer, int posted);

    /** Puts a send into the queue. */
    public abstract void enqueue(int slot);

    /** Submits the queue in order until DOCA answers AGAIN; returns how many are left. */
    public abstract int flush();

    /** How many are in the queue. */
    public abstract int queued();

    /** How many submits out of the queue DOCA has answered with AGAIN. */
    public abstract long stalls();

    /** Ends everything that is queued as failed. */
    public abstract void cancel();

    /** The context is gone. */
    public abstract void close();

    /** From an entry of a receive: how long the buffer's data are, bytes. */
    public static long dataLength(long entry) {
        return Batch.getLong(entry + Batch.ENTRY_DATA_LEN);
    }

    /** From an entry of a receive: the producer's id, and in the upper half how much immediate data there is, bytes. */
    public static long producer(long entry) {
        return Batch.getLong(entry + Batch.ENTRY_PRODUCER);
    }

    /** From an entry of a receive with immediate data: where they are, until the task is submitted again. */
    public static long immediate(long entry) {
        return Batch.getLong(entry + Batch.ENTRY_IMM);
    }

    /** The power of two that is at least {@code count}. */
    static int powerOfTwo(int count) {
        return count == 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
    }
}
