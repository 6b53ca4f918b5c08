package io.github.comch4j.comch;

import io.github.comch4j.internal.transport.ConnectionEvents;
import io.github.comch4j.internal.transport.ReceivedMemory;
import java.lang.foreign.MemorySegment;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What arrives on one connection: messages, the peer's consumers as they come and go, and the end. Belongs to the
 * engine's owner.
 */
final class IncomingEvents extends ConnectionEvents {
    private ComchConnection connection; // once it is whole
    private final ReceivedMemory scratch;
    private final BiConsumer<ComchConnection, MemorySegment> onMessage;
    private final @Nullable ObjIntConsumer<ComchConnection> onConsumer;
    private final @Nullable ObjIntConsumer<ComchConnection> onConsumerExpired;
    private final TreeSet<Integer> peersConsumers = new TreeSet<>(); // ids of those that run
    private volatile @Nullable StreamReplies words; // once somebody listens

    IncomingEvents(ControlPathEndpoint endpoint) {
        super(endpoint.context.transport());
        this.scratch = endpoint.scratch;
        BiConsumer<ComchConnection, MemorySegment> handler = endpoint.settings.onMessage;
        this.onMessage = handler != null ? handler : (ignored, message) -> {};
        this.onConsumer = endpoint.settings.onConsumer;
        this.onConsumerExpired = endpoint.settings.onConsumerExpired;
    }

    void belongTo(ComchConnection whole) {
        connection = whole;
    }

    ComchConnection connection() {
        return connection;
    }

    /** The ids of the peer's running consumers, ascending. */
    int[] peersConsumers() {
        return peersConsumers.stream().mapToInt(Integer::intValue).toArray();
    }

    /** What the peer says of streams; it is listened to from the first call on. Any thread. */
    synchronized StreamReplies words() {
        StreamReplies made = words;
        if (made == null) {
            made = new StreamReplies();
            words = made;
        }
        return made;
    }

    /** The connection has ended: nothing arrives any more. */
    void end() {
        unregister();
        peersConsumers.clear();
    }

    @Override
    protected void message(long address, int length) {
        if (connection.isEnding()) {
            return;
        }
        try {
            message(scratch.lend(address, length));
        } finally {
            scratch.takeBack();
        }
    }

    @Override
    protected void message(MemorySegment bytes) {
        StreamReplies listening = words;
        if (listening != null && listening.takes(bytes)) {
            return;
        }
        if (!connection.isEnding()) {
            connection.counts().arrived(bytes.byteSize());
            onMessage.accept(connection, bytes);
        }
    }

    @Override
    protected void consumer(int id, boolean created) {
        if (created) {
            peersConsumers.add(id);
        } else {
            peersConsumers.remove(id);
        }
        StreamReplies listening = words;
        if (listening != null) {
            listening.consumer(id, created);
        }
        ObjIntConsumer<ComchConnection> handler = created ? onConsumer : onConsumerExpired;
        if (handler != null && !connection.isEnding()) {
            handler.accept(connection, id);
        }
    }

    @Override
    protected void failed(Throwable thrown) {
        connection.endpoint().failed(connection, thrown, connection.controlEngine());
    }

    @Override
    protected void disconnected(boolean orderly) {
        connection.life().endedByPeer(orderly ? ConnectionState.CLOSED : ConnectionState.LOST);
    }
}
