package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives messages into slots of its own registered memory, all of which are posted from the start
 * ({@code doca_comch_consumer}, with a {@code doca_buf} and a task for each slot). There is no object for a message:
 * the handler gets its place in {@link #memory()}, and when the handler returns, the slot is posted again.
 *
 * {@snippet file="Pieces.java" region="poll"}
 *
 * <p>Messages come to the handler of {@link #poll} or {@link #pollRows}, or, if the builder was given one
 * ({@link Builder#onMessage}), to that handler with the engine's progress. What has arrived and not been polled keeps
 * its slot; when all slots are kept so, the peer has to wait. What is kept when the consumer is closed is discarded.
 *
 * <p><b>A receive that fails</b> while the connection lives on may have lost a message, and messages have no numbers.
 * Unless {@link Builder#onReceiveFailed} or the {@linkplain SlotHandler#onReceiveFailed handler of messages} goes on
 * after it, the consumer ends there: {@code poll}, or the engine's progress, throws in the place of what may be
 * missing, each later poll as well, and the peer's sends to it are refused.
 *
 * <p>To the peer it is a consumer like any other: {@link ComchProducer}s may send to it as well. Both kinds of
 * producers can send immediate data.
 *
 * <p>To start, its engine <em>and</em> that of the connection must make progress. All methods belong to the thread that
 * owns the consumer's engine, unless they say otherwise.
 */
public final class SlotConsumer extends FastPathConsumer {
    private final SlotMemory memory;
    private final SlotReceiveTasks receives;

    private SlotConsumer(Builder settings, SlotMemory memory) {
        super(settings, ConsumerCalls.get(), create(settings, memory), settings.connection.life());
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

    private static MemorySegment create(Builder settings, SlotMemory memory) {
        CoreObjects.of(settings.engine).checkOwner();
        settings.use.begin();
        MemorySegment map = memory.map();
        return settings.connection
                .life()
                .create(
                        ConsumerCalls.get().createFunction(),
                        "a slot consumer",
                        "",
                        (peer, action) -> ConsumerCalls.create(peer, map, action));
    }

    @Override
    SlotReceiveTasks transfers() {
        return receives;
    }

    /**
     * Hands messages to {@code handler}: first those that have arrived already, then those that arrive in one progress
     * of the engine ({@code doca_pe_progress}), which also serves whatever else runs on it. Never waits.
     *
     * @param handler what to do with each; what it throws is thrown here, and its slot is posted again all the same
     * @param limit the most messages, at least 1
     * @return how many there were
     * @throws IllegalArgumentException if {@code limit} is less than 1
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or the builder was
     *     given a handler
     * @throws io.github.comch4j.DocaException if a receive has failed, and nobody goes on after it
     * @throws WrongThreadException if another thread owns the engine
     */
    public int poll(SlotHandler handler, int limit) {
        return poll(handler, limit, 0);
    }

    /**
     * As {@link #poll(SlotHandler, int)}, but looks up to {@code spins} times more while nothing has arrived, as
     * {@link io.github.comch4j.core.ProgressEngine#progress(int, int)} does: for the shortest time from a peer's send
     * to the handler.
     *
     * @param handler what to do with each; what it throws is thrown here, and its slot is posted again all the same
     * @param limit the most messages, at least 1
     * @param spins how many times more to look, 0 to 65,536
     * @return how many there were
     * @throws IllegalArgumentException if {@code limit} is less than 1 or {@code spins} not one of these
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int poll(SlotHandler handler, int limit, int spins) {
        return receives.poll(handler, limit, spins);
    }

    /**
     * As {@link #pollRows(SlotRowHandler, int, int)}, without spins.
     *
     * @param handler what to do with each row; what it throws is thrown here, and its slots are posted again all the
     *     same
     * @param limit the most messages, at least 1
     * @return how many messages there were
     * @throws IllegalArgumentException if {@code limit} is less than 1
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int pollRows(SlotRowHandler handler, int limit) {
        return pollRows(handler, limit, 0);
    }

    /**
     * As {@link #poll(SlotHandler, int, int)}, several messages at a time where they have one length and come from one
     * producer, in slots side by side: the way for the highest rates, as what is done for a message otherwise is done
     * once for all of a row. A message with immediate data comes alone, and so do those that have waited for the poll.
     *
     * {@snippet file="Pieces.java" region="poll-rows"}
     *
     * @param handler what to do with each row; what it throws is thrown here, and its slots are posted again all the
     *     same
     * @param limit the most messages, at least 1
     * @param spins how many times more to look, 0 to 65,536
     * @return how many messages there were
     * @throws IllegalArgumentException if {@code limit} is less than 1 or {@code spins} not one of these
     * @throws IllegalStateException inside a handler of this engine, if the consumer is closed, or the builder was
     *     given a handler
     * @throws WrongThreadException if another thread owns the engine
     */
    public int pollRows(SlotRowHandler handler, int limit, int spins) {
        return receives.pollRows(handler, limit, spins);
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
     * In a handler: the immediate data that came with its message.
     *
     * @return <b>valid until the handler returns</b>; empty if there are none
     * @throws IllegalStateException outside of a handler
     */
    public MemorySegment immediate() {
        return receives.immediate();
    }

    /**
     * All slots, the same segment as long as the consumer lives. Any thread may ask.
     *
     * @return native memory; it throws once the consumer is closed
     */
    public MemorySegment memory() {
        return memory.segment();
    }

    /**
     * How long a message can be; its producer is refused a longer one. Any thread may ask.
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
     * Settings of a slot consumer. Not thread safe; can be used once, also if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
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
         * Messages go to this handler with the engine's progress, as on an {@link io.github.comch4j.core.EventLoop},
         * and not to {@link SlotConsumer#poll}.
         *
         * @param handler what to do with each
         * @return this
         */
        public Builder onMessage(SlotHandler handler) {
            onMessage = use.once("onMessage", onMessage, handler);
            return this;
        }

        /**
         * Called for each slot that comes back without a message while the consumer runs on, in its place among the
         * messages: with {@link SlotConsumer#poll}, or with the engine's progress if there is a handler of messages.
         * Its posting has failed, and a message may be lost with it. The slot is posted again. Without this handler the
         * handler of messages decides: {@link SlotHandler#onReceiveFailed}.
         *
         * @param handler gets the consumer, and why
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
         * Allocates and registers the slots, as many as {@link #tasks}, creates the consumer and begins to start it
         * ({@code doca_mmap_start}, {@code doca_comch_consumer_create}, {@code doca_ctx_start}); progress of its engine
         * and of the connection's does the rest. Allowed in callbacks.
         *
         * @return the consumer, usually still {@link io.github.comch4j.core.ContextState#STARTING}
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses
         */
        public SlotConsumer start() {
            use.check();
            SlotMemory memory = new SlotMemory(connection.endpoint().device(), tasks, slotSize);
            try {
                SlotConsumer consumer = new SlotConsumer(this, memory);
                consumer.begin();
                return consumer;
            } catch (RuntimeException | Error e) {
                memory.closeAfter(e);
                throw e;
            }
        }

        /**
         * As {@link #start()}, and progresses its engine, and that of the connection if it belongs to this thread too,
         * until the consumer runs. If another thread owns the connection's engine, that thread must progress it.
         *
         * @param timeout how long to wait
         * @return the consumer, running
         * @throws IllegalStateException also inside a callback of the engine
         * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted}
         * @throws io.github.comch4j.DocaException also {@link io.github.comch4j.DocaError#TIME_OUT}, and
         *     {@link io.github.comch4j.DocaError#NOT_CONNECTED} if the connection ended meanwhile
         */
        public SlotConsumer start(Duration timeout) {
            checkCanWait();
            SlotConsumer consumer = start();
            consumer.awaitRunning(timeout);
            return consumer;
        }
    }
}
