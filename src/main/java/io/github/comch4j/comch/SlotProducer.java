package io.github.comch4j.comch;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages that the program writes in place, into slots of the producer's own registered memory
 * ({@code doca_comch_producer}, with a {@code doca_buf} and a task for each slot). A message has no object of its own:
 * {@link #claim} returns the place to write to, {@link #commit()} queues the message, and the slot is free again when
 * its send has completed.
 *
 * {@snippet file="Pieces.java" region="slots"}
 *
 * <p>Committed messages go out in the order of the claims: before more than 64 wait, with {@link #flush()} or
 * {@link #commitNow()}, or with the engine's next {@code progress()}, whichever comes first. While the consumer of the
 * first message has no buffer posted, all messages wait, and each {@code progress()} tries again.
 *
 * <p>For the peer, this is a producer like any other: its messages arrive in the slots of a {@link SlotConsumer} or the
 * buffers of a {@link ComchConsumer}. A program that also sends buffers creates a {@link ComchProducer} beside it. The
 * order of messages between the two producers is not defined.
 *
 * <p>Unless a method's description says otherwise, it must be called by the thread that owns the engine.
 */
public final class SlotProducer extends FastPathProducer {
    /**
     * Returned by {@link #claim} if all slots are in flight. Progress of this side's engine frees slots. Corresponds to
     * {@link SubmitResult#NO_TASK}.
     */
    public static final long NO_SLOT = -1;

    /**
     * Returned by {@link #claim} if all slots are taken and the next message to go out waits for the peer to post.
     * Corresponds to {@link SubmitResult#NO_RECEIVE}.
     */
    public static final long NO_PEER_RECEIVE = -2;

    private final SlotMemory memory;
    private final SlotSendTasks sends;

    private SlotProducer(Builder settings, SlotMemory memory) {
        super(settings, "a slot producer");
        this.memory = memory;
        try {
            this.sends = new SlotSendTasks(this, context, memory, settings);
            configureTasks(Capabilities::producer);
            memory.acquire(inventory(memory.slots()));
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    @Override
    SlotSendTasks transfers() {
        return sends;
    }

    /**
     * Claims a free slot. Never waits. Only one slot can be claimed at a time: the next call must be {@link #commit()}
     * or {@link #abort()}.
     *
     * @param length the greatest length of the message in bytes, 0 to {@link #slotSize()}
     * @param consumerId a consumer of the peer, see {@link ControlPathEndpoint.Builder#onConsumer}
     * @return the offset in {@link #memory()} at which to write the message, a multiple of 64; or {@link #NO_SLOT} or
     *     {@link #NO_PEER_RECEIVE}, both less than 0
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if {@code length} is greater than the size of a slot
     * @throws IllegalStateException if a slot is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claim(int length, int consumerId) {
        return sends.claim(length, consumerId);
    }

    /**
     * Claims slots for several messages of one length, as {@link #claim} does for one. Claims as many of the next slots
     * as lie side by side. They are committed or aborted together. This method gives the highest rates, because the
     * checks of a claim are made once for all of them.
     *
     * {@snippet file="Pieces.java" region="slots-many"}
     *
     * @param most the greatest number of slots to claim, at least 1; {@link #claimed()} returns how many were claimed
     * @param length the length of each message in bytes, 0 to {@link #slotSize()}
     * @param consumerId a consumer of the peer, see {@link ControlPathEndpoint.Builder#onConsumer}
     * @return the offset in {@link #memory()} at which to write the first message, a multiple of 64, where each other
     *     message begins {@link #stride()} bytes after the one before it; or {@link #NO_SLOT} or
     *     {@link #NO_PEER_RECEIVE}, both less than 0
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if {@code length} is greater than the size of a slot, or {@code most} is less
     *     than 1
     * @throws IllegalStateException if a slot is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claimMany(int most, int length, int consumerId) {
        return sends.claimMany(most, length, consumerId);
    }

    /**
     * Returns how many slots are claimed.
     *
     * @return the number of slots; 0 after they were committed or aborted
     */
    public int claimed() {
        return sends.claimed();
    }

    /**
     * Returns the distance between the beginnings of two neighboring slots in {@link #memory()}. Any thread may call
     * this method.
     *
     * @return bytes
     */
    public long stride() {
        return memory.stride();
    }

    /**
     * Queues the message in the claimed slot, or the messages in all claimed slots from the lowest one on
     * ({@code doca_task_submit}, which may happen later). The program must not touch these slots any more. If DOCA
     * refuses a message when its turn comes, or the message still waits when the producer ends, it has failed: see
     * {@link Builder#onSendFailed}.
     *
     * @throws ConnectionClosedException if the connection has ended; the slot is no longer claimed
     * @throws IllegalStateException if no slot is claimed
     * @throws io.github.comch4j.DocaException if DOCA refuses immediately; the slot is no longer claimed
     * @throws WrongThreadException if another thread owns the engine
     */
    public void commit() {
        sends.commit();
    }

    /**
     * Commits and flushes, as {@link #commit()} and {@link #flush()} do ({@code doca_task_submit}), but in less time.
     * Use this method for a single message that must not wait. A message that cannot go out now remains queued.
     *
     * @return whether the queue is empty
     * @throws ConnectionClosedException if the connection has ended; the slot is no longer claimed
     * @throws IllegalStateException if no slot is claimed
     * @throws io.github.comch4j.DocaException if DOCA refuses immediately; the slot is no longer claimed
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean commitNow() {
        return sends.commitNow();
    }

    /**
     * Commits a message that is shorter than the claimed length, as {@link #commit()} does.
     *
     * @param length the length of the message in bytes, 0 to the claimed length
     * @throws IllegalArgumentException if {@code length} is greater than the claimed length; the slot is still claimed
     * @throws IllegalStateException if no slot is claimed, or if several are, which are then still claimed
     */
    public void commit(int length) {
        sends.commit(length);
    }

    /**
     * Commits a message with immediate data, as {@link #commit(int)} does. The consumer gets the immediate data beside
     * the message ({@code doca_comch_producer_task_send_set_imm_data}; {@link SlotConsumer#immediate},
     * {@link ReceiveHandler#onReceive}). The producer copies them, so the program can use the segment again at once.
     * The segment may be on the heap.
     *
     * <p>If the immediate data are longer than the consumer takes, the message fails when its turn comes
     * ({@link io.github.comch4j.DocaError#INVALID_VALUE}): see {@link Builder#onSendFailed}.
     *
     * @param length the length of the message in bytes, 0 to the claimed length
     * @param immediate the immediate data, at most {@link Capabilities#maxImmediateLength} bytes; a segment of 0 bytes
     *     stands for none
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no immediate data; the slot
     *     is still claimed
     * @throws IllegalArgumentException if {@code length} is greater than the claimed length, or the immediate data are
     *     longer than the device takes; the slot is still claimed
     */
    public void commit(int length, MemorySegment immediate) {
        sends.commit(length, immediate);
    }

    /**
     * Gives back the claimed slots without sending anything.
     *
     * @throws IllegalStateException if no slot is claimed
     * @throws WrongThreadException if another thread owns the engine
     */
    public void abort() {
        sends.abort();
    }

    /**
     * Claims a slot, copies a message into it, and commits it.
     *
     * @param message at most {@link #slotSize()} bytes
     * @param consumerId a consumer of the peer
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if the message is longer than a slot
     * @throws IllegalStateException if a slot is claimed, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult offer(MemorySegment message, int consumerId) {
        long at = claim((int) Math.min(message.byteSize(), Integer.MAX_VALUE), consumerId);
        if (at < 0) {
            return at == NO_SLOT ? SubmitResult.NO_TASK : SubmitResult.NO_RECEIVE;
        }
        MemorySegment.copy(message, 0, memory.segment(), at, message.byteSize());
        commit();
        return SubmitResult.ACCEPTED;
    }

    /**
     * Returns the memory of all slots, which is the same segment for the whole life of the producer. Any thread may
     * call this method.
     *
     * @return native memory; any access throws an exception once the producer is closed
     */
    public MemorySegment memory() {
        return memory.segment();
    }

    /**
     * Returns the greatest length of a message. Any thread may call this method.
     *
     * @return bytes
     */
    public int slotSize() {
        return memory.slotSize();
    }

    @Override
    void released(Teardown teardown) {
        super.released(teardown);
        if (memory != null) {
            memory.close(teardown);
        }
    }

    /**
     * Builds a slot producer. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every
     * call throws {@link IllegalStateException}.
     */
    public static final class Builder extends FastPathEndpoint.Builder<Builder> {
        private final int slotSize;

        @Nullable
        SlotSendFailureHandler onSendFailed;

        @Nullable
        Consumer<SlotProducer> onWritable;

        boolean roundRobin;

        Builder(ComchConnection connection, ProgressEngine engine, int slotSize) {
            super("SlotProducer.Builder", connection, engine);
            this.slotSize = SlotMemory.checkSize(slotSize);
        }

        /**
         * Sets a handler that is called for each message that was committed but not sent. Without this handler,
         * {@code progress()} throws, but only for the first of consecutive failures.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onSendFailed(SlotSendFailureHandler handler) {
            onSendFailed = use.once("onSendFailed", onSendFailed, handler);
            return this;
        }

        /**
         * Sets a handler that is called when a slot is free again after {@link SlotProducer#claim} or
         * {@link SlotProducer#offer} has found none.
         *
         * @param handler the handler; it costs nothing while there are free slots
         * @return this
         */
        public Builder onWritable(Consumer<SlotProducer> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Makes the producer use its slots in turn. Each claim then takes the next free slot behind the one claimed
         * before, around the memory, so that recently sent messages can still be read in {@link SlotProducer#memory()}.
         * By default, a claim takes the lowest free slot: if few slots are in flight, few are used, and these stay in
         * the processor's caches.
         *
         * @return this
         */
        public Builder roundRobin() {
            use.check();
            roundRobin = true;
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Allocates and registers {@code tasks} slots, and creates and starts the producer ({@code doca_mmap_start},
         * {@code doca_comch_producer_create}, {@code doca_ctx_start}). Callbacks may call this method.
         *
         * @return the running producer
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses
         */
        public SlotProducer start() {
            return startWithSlots(slotSize, memory -> new SlotProducer(this, memory));
        }
    }
}
