package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives messages into slots of its own registered memory ({@code doca_comch_consumer}, with a {@code doca_buf} and a
 * task for each slot). All slots are posted from the start. A message has no object of its own: the handler gets the
 * message's place in {@link #memory()}, and when the handler returns, the consumer posts the slot again.
 *
 * {@snippet file="Pieces.java" region="poll"}
 *
 * <p>Messages go to the handler that is passed to {@link #poll} or {@link #pollRows}. If the builder was given a
 * handler ({@link Builder#onMessage}), they go to that one during the engine's progress instead. A message that has
 * arrived but has not been polled keeps its slot. When all slots are kept like this, the peer must wait. Closing the
 * consumer discards messages that were not polled.
 *
 * <p><b>A receive that fails</b> while the connection remains open may have lost a message, and messages have no
 * numbers. {@link Builder#onReceiveFailed} or the {@linkplain SlotHandler#onReceiveFailed message handler} can make the
 * consumer continue. Otherwise, the consumer ends there: {@code poll}, or the engine's progress, throws an exception at
 * the place of the message that may be missing. Each later poll throws as well, and the peer's sends to the consumer
 * are refused.
 *
 * <p>For the peer, this is a consumer like any other: {@link ComchProducer}s may send to it as well. Both kinds of
 * producers can send immediate data.
 *
 * <p>The consumer starts only while its engine <em>and</em> the engine of the connection make progress. Unless a
 * method's description says otherwise, it must be called by the thread that owns the consumer's engine.
 */
public final class SlotConsumer extends FastPathConsumer {
    private final SlotMemory memory;
    private final SlotReceiveTasks receives;

    private SlotConsumer(Builder settings, SlotMemory memory) {
        super(settings, settings.create("a slot consumer", "", memory.map()), settings.connection.life());
        this.memory = memory;
        try {
            int immediateLength = configureImmediates(settings);
            this.receives = new SlotReceiveTasks(
                    this, context, memory, immediateLength, settings.onMessage, settings.onReceiveFailed);
            configureTasks(Capabilities::consumer);
            memory.acquire(inventory(memory.slots()));
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    @Override
    SlotReceiveTasks transfers() {
        return receives;
    }

    /**
     * Passes messages to {@code handler}: first those that have arrived already, then those that arrive in one progress
     * of the engine ({@code doca_pe_progress}). This progress also serves everything else that runs on the engine.
     * Never waits.
     *
     * @param handler called for each message; if it throws an exception, the consumer still posts the slot again, and
     *     this method throws that exception
     * @param limit the greatest number of messages, at least 1
     * @return the number of messages passed to the handler
     * @throws IllegalArgumentException if {@code limit} is less than 1
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or if the builder was
     *     given a handler
     * @throws io.github.comch4j.DocaException if a receive has failed and no handler made the consumer continue
     * @throws WrongThreadException if another thread owns the engine
     */
    public int poll(SlotHandler handler, int limit) {
        return poll(handler, limit, 0);
    }

    /**
     * Passes messages to {@code handler} as {@link #poll(SlotHandler, int)} does, but while nothing has arrived, looks
     * up to {@code spins} more times, as {@link io.github.comch4j.core.ProgressEngine#progress(int, int)} does. This
     * gives the shortest time from a peer's send to the handler.
     *
     * @param handler called for each message; if it throws an exception, the consumer still posts the slot again, and
     *     this method throws that exception
     * @param limit the greatest number of messages, at least 1
     * @param spins how many more times to look, 0 to 65,536
     * @return the number of messages passed to the handler
     * @throws IllegalArgumentException if {@code limit} is less than 1 or {@code spins} is out of range
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or if the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int poll(SlotHandler handler, int limit, int spins) {
        return receives.poll(handler, limit, spins);
    }

    /**
     * Passes rows of messages to {@code handler}, as {@link #pollRows(SlotRowHandler, int, int)} does without spins.
     *
     * @param handler called for each row; if it throws an exception, the consumer still posts the row's slots again,
     *     and this method throws that exception
     * @param limit the greatest number of messages, at least 1
     * @return the number of messages passed to the handler
     * @throws IllegalArgumentException if {@code limit} is less than 1
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or if the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int pollRows(SlotRowHandler handler, int limit) {
        return pollRows(handler, limit, 0);
    }

    /**
     * Passes messages to {@code handler} as {@link #poll(SlotHandler, int, int)} does, but several at a time. A row
     * consists of messages of one length from one producer, in slots that lie side by side. This method gives the
     * highest rates, because the work that {@code poll} does for each message is done once for a whole row. A message
     * with immediate data comes alone, and so does a message that has waited for the poll.
     *
     * {@snippet file="Pieces.java" region="poll-rows"}
     *
     * @param handler called for each row; if it throws an exception, the consumer still posts the row's slots again,
     *     and this method throws that exception
     * @param limit the greatest number of messages, at least 1
     * @param spins how many more times to look, 0 to 65,536
     * @return the number of messages passed to the handler
     * @throws IllegalArgumentException if {@code limit} is less than 1 or {@code spins} is out of range
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or if the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int pollRows(SlotRowHandler handler, int limit, int spins) {
        return receives.pollRows(handler, limit, spins);
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
     * Returns, inside a handler, the immediate data that came with its message.
     *
     * @return the immediate data, <b>valid until the handler returns</b>; empty if there are none
     * @throws IllegalStateException outside a handler
     */
    public MemorySegment immediate() {
        return receives.immediate();
    }

    /**
     * Returns the memory of all slots, which is the same segment for the whole life of the consumer. Any thread may
     * call this method.
     *
     * @return native memory; any access throws an exception once the consumer is closed
     */
    public MemorySegment memory() {
        return memory.segment();
    }

    /**
     * Returns the greatest length of a message. A send of a longer message is refused at its producer. Any thread may
     * call this method.
     *
     * @return bytes
     */
    public int slotSize() {
        return memory.slotSize();
    }

    @Override
    boolean mayEnd() {
        return receives.isPolled();
    }

    @Override
    void changed(int previous, int next) {
        if (next == Context.RUNNING) {
            receives.begin();
        }
    }

    @Override
    void released(Teardown teardown) {
        super.released(teardown);
        if (memory != null) {
            memory.close(teardown);
        }
    }

    /**
     * Builds a slot consumer. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every
     * call throws {@link IllegalStateException}.
     */
    public static final class Builder extends FastPathConsumer.Builder<Builder> {
        private final int slotSize;
        private @Nullable SlotHandler onMessage;
        private @Nullable BiConsumer<? super SlotConsumer, DocaError> onReceiveFailed;

        Builder(ComchConnection connection, ProgressEngine engine, int slotSize) {
            super("SlotConsumer.Builder", connection, engine);
            this.slotSize = SlotMemory.checkSize(slotSize);
        }

        /**
         * Sets a handler that gets messages during the engine's progress, for example on an
         * {@link io.github.comch4j.core.EventLoop}. Messages then do not go to {@link SlotConsumer#poll}.
         *
         * @param handler called for each message
         * @return this
         */
        public Builder onMessage(SlotHandler handler) {
            onMessage = use.once("onMessage", onMessage, handler);
            return this;
        }

        /**
         * Sets a handler that is called for each slot that comes back without a message while the consumer is still
         * running. The receive of this slot has failed, and a message may be lost with it. The consumer posts the slot
         * again and continues.
         *
         * <p>The handler is called at the slot's place among the messages: in {@link SlotConsumer#poll}, or during the
         * engine's progress if there is a message handler. Without this handler, the message handler decides:
         * {@link SlotHandler#onReceiveFailed}.
         *
         * @param handler gets the consumer and the cause
         * @return this
         */
        public Builder onReceiveFailed(BiConsumer<? super SlotConsumer, DocaError> handler) {
            onReceiveFailed = use.once("onReceiveFailed", onReceiveFailed, handler);
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Allocates and registers {@code tasks} slots, creates the consumer and begins to start it
         * ({@code doca_mmap_start}, {@code doca_comch_consumer_create}, {@code doca_ctx_start}). Progress of its engine
         * and of the connection's engine completes the start. Callbacks may call this method.
         *
         * @return the consumer, usually still {@link io.github.comch4j.core.ContextState#STARTING}
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses
         */
        public SlotConsumer start() {
            return startWithSlots(slotSize, memory -> new SlotConsumer(this, memory));
        }

        /**
         * Starts the consumer as {@link #start()} does, and waits until it runs. While it waits, this method progresses
         * the consumer's engine, and also the connection's engine if it belongs to this thread. If another thread owns
         * the connection's engine, that thread must progress it.
         *
         * @param timeout how long to wait
         * @return the running consumer
         * @throws IllegalStateException also inside a callback of the engine
         * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted}
         * @throws io.github.comch4j.DocaException also {@link io.github.comch4j.DocaError#TIME_OUT}, and
         *     {@link io.github.comch4j.DocaError#NOT_CONNECTED} if the connection ends while this method waits
         */
        public SlotConsumer start(Duration timeout) {
            checkCanWait();
            SlotConsumer consumer = start();
            consumer.awaitRunning(timeout);
            return consumer;
        }
    }
}
