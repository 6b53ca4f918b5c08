package io.github.comch4j.comch;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages that are written in place, into slots of its own registered memory ({@code doca_comch_producer}, with
 * a {@code doca_buf} and a task for each slot). There is no object for a message: {@link #claim} says where to write,
 * {@link #commit()} queues what was written, and a slot is free again when its send has completed.
 *
 * {@snippet file="Pieces.java" region="slots"}
 *
 * <p>What is committed goes out in the order of the claims: before more than 64 wait, with {@link #flush()} or
 * {@link #commitNow()}, or with the engine's next {@code progress()}, whichever comes first. While the consumer of the
 * first one has no buffer posted, all wait, and are tried again with each {@code progress()}.
 *
 * <p>To the peer it is a producer like any other: its messages arrive in the slots of a {@link SlotConsumer} or the
 * buffers of a {@link ComchConsumer}. A program that also sends buffers makes a {@link ComchProducer} beside it; there
 * is no order between the two.
 *
 * <p>All methods belong to the thread that owns the engine, unless they say otherwise.
 */
public final class SlotProducer extends FastPathProducer {
    /**
     * Returned by {@link #claim}: all slots are in flight. Progress of this side's engine tells which are free again.
     * As {@link SubmitResult#NO_TASK}.
     */
    public static final long NO_SLOT = -1;

    /**
     * Returned by {@link #claim}: all slots are taken, and the next one to go out waits for the peer to post. As
     * {@link SubmitResult#NO_RECEIVE}.
     */
    public static final long NO_PEER_RECEIVE = -2;

    private final SlotMemory memory;
    private final SlotSendTasks sends;

    private SlotProducer(Builder settings, SlotMemory memory) {
        super(settings, ProducerCalls.get(), create(settings), settings.connection.life());
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

    private static MemorySegment create(Builder settings) {
        CoreObjects.of(settings.engine).checkOwner();
        settings.use.begin();
        return settings.connection
                .life()
                .create(ProducerCalls.get().createFunction(), "a slot producer", "", ProducerCalls::create);
    }

    @Override
    SlotSendTasks transfers() {
        return sends;
    }

    /**
     * Takes a free slot. Never waits. One slot can be claimed at a time: the next call is {@link #commit()} or
     * {@link #abort()}.
     *
     * @param length how long the message is at most, bytes, 0 to {@link #slotSize()}
     * @param consumerId a consumer of the peer, see {@link RemoteConsumerHandler}
     * @return where in {@link #memory()} to write the message, a multiple of 64; or {@link #NO_SLOT} or
     *     {@link #NO_PEER_RECEIVE}, both less than 0
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if a slot is shorter than that
     * @throws IllegalStateException if a slot is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claim(int length, int consumerId) {
        return sends.claim(length, consumerId);
    }

    /**
     * As {@link #claim}, for several messages of one length: as many as lie side by side among the slots that are
     * claimed next. They are committed or aborted together. This is the way for the highest rates: what a claim checks
     * is checked once for all of them.
     *
     * {@snippet file="Pieces.java" region="slots-many"}
     *
     * @param most how many are wanted, at least 1; {@link #claimed()} tells how many there are
     * @param length how long each message is, bytes, 0 to {@link #slotSize()}
     * @param consumerId a consumer of the peer, see {@link RemoteConsumerHandler}
     * @return where in {@link #memory()} to write the first message, a multiple of 64; each of the others begins
     *     {@link #stride()} bytes after the one before it; or {@link #NO_SLOT} or {@link #NO_PEER_RECEIVE}, both less
     *     than 0
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if a slot is shorter than that, or fewer than 1 are wanted
     * @throws IllegalStateException if a slot is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claimMany(int most, int length, int consumerId) {
        return sends.claimMany(most, length, consumerId);
    }

    /**
     * How many slots are claimed.
     *
     * @return 0 when what was claimed is committed or aborted
     */
    public int claimed() {
        return sends.claimed();
    }

    /**
     * How far apart slots begin in {@link #memory()}. Any thread may ask.
     *
     * @return bytes
     */
    public long stride() {
        return memory.stride();
    }

    /**
     * Queues the message in the claimed slot, or those in all that are claimed, from the lowest one on
     * ({@code doca_task_submit}, perhaps later). The program may not touch them any more. A message that DOCA refuses
     * when its turn comes, or that still waits when the producer ends, has failed: see {@link Builder#onSendFailed}.
     *
     * @throws ConnectionClosedException if the connection has ended; the slot is not claimed any more
     * @throws IllegalStateException if no slot is claimed
     * @throws io.github.comch4j.DocaException if DOCA refuses at once; the slot is not claimed any more
     * @throws WrongThreadException if another thread owns the engine
     */
    public void commit() {
        sends.commit();
    }

    /**
     * As {@link #commit()} and {@link #flush()} ({@code doca_task_submit}), in less time: for a lone message that must
     * not wait. If it cannot go out now, it stays queued.
     *
     * @return whether nothing is queued any more
     * @throws ConnectionClosedException if the connection has ended; the slot is not claimed any more
     * @throws IllegalStateException if no slot is claimed
     * @throws io.github.comch4j.DocaException if DOCA refuses at once; the slot is not claimed any more
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean commitNow() {
        return sends.commitNow();
    }

    /**
     * As {@link #commit()}, of a message that turned out shorter than was claimed.
     *
     * @param length its length, bytes, 0 to what was claimed
     * @throws IllegalArgumentException if less was claimed; the slot still is
     * @throws IllegalStateException if no slot is claimed, or several are; they still are
     */
    public void commit(int length) {
        sends.commit(length);
    }

    /**
     * As {@link #commit(int)}, with immediate data, which the consumer gets beside the message
     * ({@code doca_comch_producer_task_send_set_imm_data}; {@link SlotConsumer#immediate},
     * {@link ReceiveHandler#onReceive}). They are copied: the segment, which may be on the heap, is the program's
     * again.
     *
     * <p>If they are longer than the consumer takes, the message fails when its turn comes
     * ({@link io.github.comch4j.DocaError#INVALID_VALUE}): see {@link Builder#onSendFailed}.
     *
     * @param length the message's length, bytes, 0 to what was claimed
     * @param immediate the immediate data, at most {@link Capabilities#maxImmediateLength} bytes; of 0 bytes:
     *     none
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no immediate data; the slot
     *     still is claimed
     * @throws IllegalArgumentException if less was claimed, or the device takes less immediate data; the slot still is
     *     claimed
     */
    public void commit(int length, MemorySegment immediate) {
        sends.commit(length, immediate);
    }

    /**
     * Gives what is claimed back without sending it.
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
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if a slot is shorter than that
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
     * All slots, the same segment as long as the producer lives. Any thread may ask.
     *
     * @return native memory; it throws once the producer is closed
     */
    public MemorySegment memory() {
        return memory.segment();
    }

    /**
     * How long a message can be. Any thread may ask.
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
     * Settings of a slot producer. Not thread safe; can be used once, also if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
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
         * Called for each message that was committed and not sent. Without it {@code progress()} throws, for the first
         * of a row only.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onSendFailed(SlotSendFailureHandler handler) {
            onSendFailed = use.once("onSendFailed", onSendFailed, handler);
            return this;
        }

        /**
         * Called when a slot is free again after {@link SlotProducer#claim} or {@link SlotProducer#offer} has found
         * none.
         *
         * @param handler the handler; costs nothing as long as there are slots
         * @return this
         */
        public Builder onWritable(Consumer<SlotProducer> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Slots are used in turn: a claim gives the next free one behind the one claimed before, around the memory, so
         * that what was sent last can still be read in {@link SlotProducer#memory()}. Otherwise it is the lowest free
         * one: where few are in flight, few are used, which stay in the processor's caches.
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
         * Allocates and registers the slots, as many as {@link #tasks}, and creates and starts the producer
         * ({@code doca_mmap_start}, {@code doca_comch_producer_create}, {@code doca_ctx_start}). Allowed in callbacks.
         *
         * @return the producer, running
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses
         */
        public SlotProducer start() {
            use.check();
            SlotMemory memory = new SlotMemory(connection.endpoint().device(), tasks, slotSize);
            try {
                SlotProducer producer = new SlotProducer(this, memory);
                producer.begin();
                return producer;
            } catch (RuntimeException | Error e) {
                memory.closeAfter(e);
                throw e;
            }
        }
    }
}
