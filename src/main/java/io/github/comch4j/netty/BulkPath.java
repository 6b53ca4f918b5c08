package io.github.comch4j.netty;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.link.Framing;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection's fast path, where a direction that carries much goes on for good. Its consumer is made when the last
 * message of the direction has arrived, and its producer when the consumer is there: nothing is on its way on both, and
 * the order needs no care. Both end with the connection. Belongs to the loop's thread.
 */
final class BulkPath {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(BulkPath.class);
    private static final int SLOTS = 8;
    /** With slots of 64 KiB, bytes cost more than as messages. */
    private static final int SLOT = 256 << 10;

    private static final ValueLayout.OfLong HEADER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Wire wire;
    private final ComchConnection connection;
    private @Nullable SlotConsumer consumer;
    private @Nullable SlotProducer producer;
    private int consumerId; // the peer's
    private int offered; // of the slots that both devices take, until there is a producer; 0: none
    private boolean moving; // the peer was asked for its consumer

    BulkPath(Wire wire, ComchConnection connection) {
        this.wire = wire;
        this.connection = connection;
    }

    private static int longest(Optional<Capabilities.FastPath> limits) {
        return limits.filter(device -> device.maxTasks() >= SLOTS)
                .map(device -> (int) Math.min(SLOT, device.maxBufferSize()))
                .orElse(0);
    }

    // Receiving.

    /** The longest message that this side's device can receive here, with its header; 0: none. */
    int receivable() {
        return longest(Capabilities.of(connection.device()).consumer());
    }

    /** The peer asks for a consumer, and hears if there is none. */
    void receive() {
        int longest = receivable();
        if (consumer != null || longest == 0) {
            return;
        }
        try {
            consumer = connection
                    .slotConsumer(connection.engine(), longest)
                    .tasks(SLOTS)
                    .onMessage((memory, offset, length, sender) -> wire.message(memory.asSlice(offset, length)))
                    .onReceiveFailed((mine, error) -> wire.receiveFailed(error.name()))
                    .onStateChanged((mine, now) -> {
                        if (now == ContextState.IDLE) {
                            wire.drained();
                        }
                    })
                    .start();
        } catch (DocaException | MissingFunctionException | OutOfMemoryError e) {
            LOGGER.debug("No consumer for much on {}.", connection, e);
            wire.noConsumer();
        }
    }

    /** Whether there may be more of what had arrived when the connection ended. */
    boolean isReceiving() {
        SlotConsumer mine = consumer;
        return mine != null && mine.state() != ContextState.IDLE;
    }

    // Sending.

    /** The peer makes a consumer if it is asked to, for so long messages; 0: it does not. */
    void offered(long longest) {
        offered = longest <= 0 || producer != null
                ? 0
                : (int) Math.min(
                        longest, longest(Capabilities.of(connection.device()).producer()));
        moving &= longest > 0;
    }

    /** Whether to ask for it. */
    boolean isOffered() {
        return offered > Framing.HEADER;
    }

    /** The peer is asked. */
    void moves() {
        moving = true;
    }

    /** Whether nothing is to be sent, until the peer's consumer is there. */
    boolean isMoving() {
        return moving;
    }

    /** The peer has a consumer: makes the producer. If there is none, messages go on. */
    void send(int peersConsumer) {
        try {
            consumerId = peersConsumer;
            producer = connection
                    .slotProducer(connection.engine(), offered)
                    .tasks(SLOTS)
                    .onSendFailed((mine, offset, length, error) -> wire.bulkSendFailed(error.name()))
                    .onWritable(mine -> wire.room())
                    .start();
        } catch (DocaException | MissingFunctionException | OutOfMemoryError e) {
            LOGGER.debug("No producer for much on {}.", connection, e);
        }
        offered(0);
    }

    /** The longest message that goes here now, with its header; 0: none does. */
    int longest() {
        SlotProducer mine = producer;
        return mine == null ? 0 : mine.slotSize();
    }

    /** Sends a message, if there is room. Returns whether it was accepted. */
    boolean trySend(long header, ByteBuffer bytes) {
        SlotProducer mine = Objects.requireNonNull(producer);
        int length = Framing.HEADER + bytes.remaining();
        long at = mine.claim(length, consumerId);
        if (at < 0) {
            return false;
        }
        MemorySegment memory = mine.memory();
        memory.set(HEADER, at, header);
        MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, memory, at + Framing.HEADER, bytes.remaining());
        try {
            mine.commitNow();
            return true;
        } catch (ConnectionClosedException e) {
            throw e;
        } catch (DocaException e) {
            wire.bulkSendFailed(e.error().name());
            return false;
        }
    }

    /** Whether the peer's device has all that was sent here. */
    boolean isEmptied() {
        SlotProducer mine = producer;
        return mine == null || mine.inFlight() == 0;
    }
}
