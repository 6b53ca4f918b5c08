package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.link.Loops;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The fast path of a connection, which carries the frames of long bodies: what comes in slots of a consumer is read as
 * a message of the control path is. Each side announces its consumer; until the peer has, and where there is no fast
 * path, all bodies take the control path. Belongs to the loop.
 */
final class LargeBodies {
    /** Bytes of a slot: so many that a send costs little beside its copy. Bodies of round lengths fill whole ones. */
    private static final int SLOT_SIZE = (256 << 10) + Frames.HEADER;

    /** Slots of the consumer, and of the producer: while one is written, another one is read. */
    private static final int SLOTS = 4;

    /** How long after a send has failed the connection may end by itself. */
    private static final long END_NANOS = 100_000_000;

    private static final System.Logger LOGGER = System.getLogger("io.github.comch4j.rpc");

    private final EventLoop loop;
    private final ComchConnection connection;
    private final OutgoingPaths paths;
    private final int longerThan;
    private final int slotSize; // at most
    private final Peer peer;
    private @Nullable SlotConsumer consumer;
    private int peersConsumer; // 0: not announced
    private int peersSlotSize; // at most slotSize
    private final FrameQueue frames = new FrameQueue();
    private @Nullable SlotProducer producer; // null: bodies go over the control path
    private long sent; // messages
    private final long[] numbers = new long[SLOTS]; // of the messages, by slot
    private boolean failed; // frames were lost
    private boolean ended;

    /** Who has the connection. */
    interface Peer {
        /** Frames have arrived. Returns false if that cannot be. */
        boolean message(MemorySegment frames);

        /**
         * The message with this number was not sent on the fast path. Returns false if not all who wait for what it had
         * know it now.
         */
        boolean notSent(long number, DocaError why);

        /** Ends a connection, not here: this may be a handler. */
        void closeSoon(ComchConnection connection);
    }

    /** What the program wants, and the device can. */
    record Settings(EventLoop loop, int longerThan, int slotSize) {
        /** Bodies longer than {@code longerThan} are large; null if none is, or the device has no fast path. */
        static @Nullable Settings of(EventLoop loop, Device device, int longerThan) {
            if (longerThan < 0) {
                return null;
            }
            Capabilities can = Capabilities.of(device);
            if (can.producer().isEmpty() || can.consumer().isEmpty()) {
                return null;
            }
            long most = Math.min(
                    can.producer().get().maxBufferSize(), can.consumer().get().maxBufferSize());
            return isPossible(most) ? new Settings(loop, longerThan, (int) Math.min(SLOT_SIZE, most)) : null;
        }
    }

    /** {@code paths} take the announcement. */
    LargeBodies(Settings settings, ComchConnection connection, OutgoingPaths paths, Peer peer) {
        this.loop = settings.loop;
        this.connection = connection;
        this.paths = paths;
        this.longerThan = settings.longerThan;
        this.slotSize = settings.slotSize;
        this.peer = peer;
    }

    /** Begins to receive; the peer is told as soon as it can send. */
    void begin() {
        if (consumer != null || ended) {
            return;
        }
        try {
            consumer = Loops.engineOf(loop)
                    .ofLibrary(() -> connection
                            .slotConsumer(loop.engine(), slotSize)
                            .tasks(SLOTS)
                            .onMessage((memory, offset, length, producer) -> {
                                if (!ended && !peer.message(memory.asSlice(offset, length))) {
                                    peer.closeSoon(connection);
                                }
                            })
                            .onReceiveFailed((receiver, status) ->
                                    peer.closeSoon(connection)) // perhaps a part of some body is lost
                            .onStateChanged((receiver, now) -> {
                                if (now == ContextState.RUNNING) {
                                    announce(receiver.id());
                                }
                            })
                            .start());
        } catch (DocaException | MissingFunctionException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "no fast path on " + connection, e);
        }
    }

    private void announce(int id) {
        paths.addShort(new OutgoingFrame(Frames.CONSUMER, 0, id, slotSize));
        paths.flush();
    }

    /** The peer has announced its consumer. Returns false if it may not do so. */
    boolean announced(int id, long announcedSize) {
        if (peersConsumer != 0 || id == 0 || !isPossible(announcedSize)) {
            return false;
        }
        peersConsumer = id;
        peersSlotSize = (int) Math.min(announcedSize, slotSize);
        begin();
        consumerKnown();
        return true;
    }

    /** A consumer of the peer has come: perhaps the one that was announced. */
    void consumerKnown() {
        if (peersConsumer == 0 || producer != null || ended || !isKnown(peersConsumer)) {
            return;
        }
        try {
            producer = Loops.engineOf(loop)
                    .ofLibrary(() -> connection
                            .slotProducer(loop.engine(), peersSlotSize)
                            .tasks(SLOTS)
                            .onWritable(any -> flush())
                            .onSendFailed((any, offset, length, status) -> {
                                if (!any.isClosed()) {
                                    notSent(offset / any.stride(), status);
                                }
                            })
                            .start());
        } catch (DocaException | MissingFunctionException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "no fast path on " + connection, e);
        }
    }

    private boolean isKnown(int id) {
        for (int known : connection.remoteConsumers()) {
            if (known == id) {
                return true;
            }
        }
        return false;
    }

    /** Whether slots of so many bytes have room for frames. */
    private static boolean isPossible(long size) {
        return size >= Frames.HEADER + 8;
    }

    private void notSent(long slot, DocaError why) {
        if (!ended) {
            long number = numbers[(int) slot];
            boolean ends = frames.mayHaveNotices(number) || !isKnown(peersConsumer);
            if (!peer.notSent(number, why) || ends) {
                failed();
            }
        }
    }

    /**
     * Frames were lost, and with them bodies. A peer that ends the connection closes its consumer first: that is all.
     */
    private void failed() {
        if (!failed && !ended) {
            failed = true;
            CompletableFuture.delayedExecutor(END_NANOS, TimeUnit.NANOSECONDS)
                    .execute(() -> Loops.execute(loop, this::giveUp));
        }
    }

    private void giveUp() {
        if (!ended && connection.isOpen()) {
            peer.closeSoon(connection);
        }
    }

    /** Takes what is to be sent, if it is long and there is a fast path. */
    boolean add(OutgoingFrame outgoing) {
        if (producer == null || outgoing.length <= longerThan) {
            return false;
        }
        outgoing.large = true;
        frames.add(outgoing);
        return true;
    }

    /**
     * Nobody wants any more what {@link #add} has taken: none of it remains here, even if the peer never takes
     * anything.
     */
    void cancel(OutgoingFrame obsolete) {
        frames.drop(obsolete);
        frames.cancel(obsolete);
    }

    /** How long the bodies are together that wait, whole or in part. */
    long bytes() {
        return frames.bytes();
    }

    int size() {
        return frames.size();
    }

    /** Sends what there is room for. */
    void flush() {
        SlotProducer slots = producer;
        try {
            while (slots != null && sendsNext(slots)) {
                var _ = slots.flush(); // the peer reads it while the next one is written
            }
        } catch (ConnectionClosedException e) {
            // its end is reported soon
        } catch (DocaException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "the fast path of " + connection + " has failed", e);
            failed();
        }
    }

    /** Fills a slot, into which bodies are copied once. Returns false if there is nothing to send, or no slot. */
    private boolean sendsNext(SlotProducer slots) {
        int capacity = slots.slotSize() & ~7;
        long at = frames.size() == 0 ? -1 : slots.claim(capacity, peersConsumer);
        if (at < 0) {
            return false;
        }
        int filled = frames.fill(slots.memory(), at, capacity, sent);
        if (filled == 0) {
            slots.abort(); // nobody wants any of it any more
            return false;
        }
        numbers[(int) (at / slots.stride())] = sent++;
        slots.commit(filled);
        return true;
    }

    /** The connection has ended. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        frames.clear();
        var _ = Loops.execute(loop, this::close);
    }

    private void close() {
        try {
            if (producer != null) {
                producer.close();
            }
        } finally {
            if (consumer != null) {
                consumer.close();
            }
        }
    }
}
