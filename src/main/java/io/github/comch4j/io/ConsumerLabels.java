package io.github.comch4j.io;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.link.Loops;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;

/**
 * Identifies the peer's consumers by labels. DOCA reports only that a consumer has come, and its id. With this class,
 * the program that owns the consumer sends its purpose as a label, in a message on the control path:
 *
 * {@snippet file="Pieces.java" region="label"}
 *
 * The other end finds the consumer by its label. The event of the consumer and its label may arrive in either order:
 *
 * {@snippet file="Pieces.java" region="labelled"}
 *
 * <p>{@code docs/labels.md} documents the message for peers in C. This class ignores consumers without a label. A peer
 * that sends no labels notices no difference, and a peer that does not know labels gets a message that it can ignore. A
 * label lives as long as its consumer: if a consumer is stopped and started again, send its label again.
 *
 * <p>One object serves any number of connections. Any thread may call {@link #find}; only the thread of the
 * connection's engine may call the other methods.
 */
public final class ConsumerLabels {
    /** The longest label, in bytes of UTF-8. */
    public static final int MAX_LENGTH = 255;

    private static final long MARK_1 = 0x63_6f_6d_63_68_34_6a_fbL; // as that of sockets' messages
    private static final long MARK_2 = 0xc2_b2_ae_3d_27_d4_eb_4fL;
    private static final int TEXT = 20; // where the label begins, behind the consumer's id
    private static final int EARLY_LIMIT = 1024;
    private static final String NONE = ""; // no label is empty
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The peer's consumers, by their ids. */
    private static final class LabelledPeer {
        final Map<Integer, String> running = new LinkedHashMap<>();
        final Map<Integer, String> early = new LinkedHashMap<>(); // labels of those that do not run yet
    }

    private final BiConsumer<? super ComchConnection, ? super String> handler;
    private final Map<ComchConnection, LabelledPeer> peers = new WeakHashMap<>(); // guarded by itself, as what is in it

    /** Creates an object without a handler, for programs that look up labels. */
    public ConsumerLabels() {
        this((connection, label) -> {});
    }

    /**
     * Creates an object with a handler for labels. The handler is called with the connection and the label when a
     * consumer with this label is running and its label has arrived, and when such a consumer was stopped, but not when
     * its connection has ended. {@link #find} returns the consumer that there is now. The handler runs inside
     * {@code progress()} of the connection's engine.
     *
     * @param handler called for each change of the consumers with a label
     */
    public ConsumerLabels(BiConsumer<? super ComchConnection, ? super String> handler) {
        this.handler = Objects.requireNonNull(handler);
    }

    /**
     * Returns the message that labels a consumer of this side for the peer. The program can send it as soon as it has
     * created the consumer, and again if it could not be delivered.
     *
     * @param consumerId the consumer's id
     * @param label 1 to {@link #MAX_LENGTH} bytes in UTF-8
     * @return the message, for {@link ComchConnection#trySend(byte[])} or {@link ComchConnection#send(byte[])}
     * @throws IllegalArgumentException if the label is empty or too long, or the id is less than 1
     */
    public static byte[] message(int consumerId, String label) {
        byte[] text = label.getBytes(UTF_8);
        if (consumerId < 1 || text.length < 1 || text.length > MAX_LENGTH) {
            throw new IllegalArgumentException("a label of " + text.length + " bytes for consumer " + consumerId
                    + ": it must have 1 to " + MAX_LENGTH + " bytes, and the id must be at least 1");
        }
        byte[] bytes = new byte[TEXT + text.length];
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(LONG, 0, MARK_1);
        message.set(LONG, 8, MARK_2);
        message.set(INT, 16, consumerId);
        System.arraycopy(text, 0, bytes, TEXT, text.length);
        return bytes;
    }

    /**
     * Returns a handler that takes labels out of the messages of a server or client, and passes on the other messages.
     *
     * @param next handles all other messages
     * @return the handler to set with {@code onMessage}
     */
    public BiConsumer<ComchConnection, MemorySegment> before(BiConsumer<ComchConnection, MemorySegment> next) {
        Objects.requireNonNull(next);
        return (connection, message) -> {
            if (isLabel(message)) {
                labelled(
                        connection,
                        message.get(INT, 16),
                        new String(message.asSlice(TEXT).toArray(ValueLayout.JAVA_BYTE), UTF_8));
            } else {
                next.accept(connection, message);
            }
        };
    }

    private static boolean isLabel(MemorySegment message) {
        long length = message.byteSize();
        return length > TEXT
                && length <= TEXT + MAX_LENGTH
                && message.get(LONG, 0) == MARK_1
                && message.get(LONG, 8) == MARK_2;
    }

    private void labelled(ComchConnection connection, int id, String label) {
        synchronized (peers) {
            LabelledPeer peer = peers.computeIfAbsent(connection, key -> new LabelledPeer());
            String known = peer.running.get(id);
            if (known == null) {
                keepEarly(peer.early, id, label);
                return;
            }
            if (!known.equals(NONE)) {
                return; // has been told again
            }
            peer.running.put(id, label);
        }
        handler.accept(connection, label);
    }

    /** The oldest is given up for the newest: a peer could send any number of labels for consumers that never come. */
    private static void keepEarly(Map<Integer, String> early, int id, String label) {
        early.putIfAbsent(id, label);
        if (early.size() > EARLY_LIMIT) {
            early.remove(early.keySet().iterator().next());
        }
    }

    /**
     * Processes the start of a consumer. Set this method as the handler with {@code onConsumer}.
     *
     * @param connection the connection that the consumer belongs to
     * @param consumerId the consumer's id
     */
    public void onConsumer(ComchConnection connection, int consumerId) {
        Objects.requireNonNull(connection);
        String label;
        synchronized (peers) {
            LabelledPeer peer = peers.computeIfAbsent(connection, key -> new LabelledPeer());
            label = peer.early.remove(consumerId);
            peer.running.put(consumerId, label == null ? NONE : label);
        }
        if (label != null) {
            handler.accept(connection, label);
        }
    }

    /**
     * Processes the end of a consumer. Set this method as the handler with {@code onConsumerExpired}.
     *
     * @param connection the connection that the consumer belongs to
     * @param consumerId the consumer's id
     */
    public void onConsumerExpired(ComchConnection connection, int consumerId) {
        Objects.requireNonNull(connection);
        String label;
        synchronized (peers) {
            LabelledPeer peer = peers.get(connection);
            label = peer == null ? null : peer.running.remove(consumerId);
        }
        if (label != null && !label.equals(NONE)) {
            handler.accept(connection, label);
        }
    }

    /**
     * Returns the consumer with a label. Any thread may call it.
     *
     * @param connection the connection to the peer
     * @param label the label
     * @return the consumer's id; 0 if none is running, or if the connection has ended; the newest if there are several
     */
    public int find(ComchConnection connection, String label) {
        Objects.requireNonNull(label);
        int newest = 0;
        synchronized (peers) {
            LabelledPeer peer = peers.get(Objects.requireNonNull(connection));
            if (peer != null && connection.isOpen()) {
                for (Map.Entry<Integer, String> each : peer.running.entrySet()) {
                    newest = each.getValue().equals(label) ? each.getKey() : newest;
                }
            }
        }
        return newest;
    }

    /**
     * Waits for a consumer with a label, and progresses the engine of the connection meanwhile.
     *
     * @param connection the connection to the peer
     * @param label the label
     * @param timeout how long to wait
     * @return the consumer's id
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     * @throws io.github.comch4j.DocaException {@link DocaError#TIME_OUT} if there is none in time
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted while it waits
     */
    public int await(ComchConnection connection, String label, Duration timeout) {
        boolean found = connection.engine().await(() -> find(connection, label) != 0 || !connection.isOpen(), timeout);
        int id = find(connection, label);
        if (id != 0) {
            return id;
        }
        String action = "waiting for the consumer \"" + label + "\" on " + connection;
        throw found
                ? Loops.insideOf(connection).ended(PeCalls.PROGRESS_NAME, action)
                : Failures.refused(DocaError.TIME_OUT, PeCalls.PROGRESS_NAME, action);
    }
}
