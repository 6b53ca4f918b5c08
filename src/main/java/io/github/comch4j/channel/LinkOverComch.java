package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ChannelCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that is a server or a client of Comch, on an engine of its own. Whoever is in the endpoint makes
 * progress; what the progress brings waits in {@link WaitingMessages}, unless a call is there to receive it.
 */
final class LinkOverComch extends EndpointLink implements EngineEvents.Conditions {
    /** That would refuse a size, by the settings of builders. */
    private static final Map<String, String> SIZE_FUNCTIONS = Map.of(
            "maxMessageSize", "doca_comm_channel_ep_set_max_msg_size",
            "sendQueueSize", "doca_comm_channel_ep_set_send_queue_size",
            "receiveQueueSize", "doca_comm_channel_ep_set_recv_queue_size");

    /** Things that one call does at most. */
    private static final int MOST_EVENTS = 64;
    /** A service's pool of tasks, for so many clients whose queues are full. */
    private static final int FULL_QUEUES = 8;

    private static final int DEFAULT_MESSAGE_SIZE = 4080;
    private static final int DEFAULT_QUEUE_SIZE = 1024;
    private static final int SMALLEST_MESSAGE_SIZE = 256;
    private static final int SMALLEST_QUEUE_SIZE = 16;

    private final ChannelEndpoint endpoint;
    private final ChannelEndpoint.Builder settings;
    private final Capabilities capabilities;
    private final EndpointSizes sizes;
    private final ProgressEngine progress;
    private final Engine engine;
    private final EngineEvents events;
    private final WaitingMessages arrivals;
    private final List<PeerOverComch> peers = new ArrayList<>();
    private @Nullable ComchServer server;
    private @Nullable MemorySegment target; // of the call that receives
    private @Nullable PeerOverComch taken; // whose message is in there
    private final ReceiveSpin spins = new ReceiveSpin();
    private long sent;
    private long arrived; // messages and ends
    private long changes; // clients that came and went
    private long changesSeen;
    private long endedAtRefusal = -1; // -1: the last message was accepted
    private boolean peerHasNoRoom; // was the reason for the last refusal

    LinkOverComch(ChannelEndpoint endpoint, ChannelEndpoint.Builder settings) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.capabilities = Capabilities.of(settings.device);
        this.sizes = new EndpointSizes(
                messageSize(capabilities.maxMessageSize()),
                queueSize("sendQueueSize", settings.sendQueueSize, capabilities.maxSendTasks()),
                queueSize("receiveQueueSize", settings.receiveQueueSize, capabilities.maxReceiveQueueSize()));
        this.arrivals = new WaitingMessages(sizes.receiveQueueSize(), sizes.maxMessageSize());
        this.progress = ProgressEngine.create();
        this.engine = CoreObjects.of(progress);
        try {
            this.events = new EngineEvents(engine, this);
        } catch (RuntimeException | Error e) {
            progress.close();
            throw e;
        }
    }

    // as DOCA rounds sizes that the device takes

    private int queueSize(String setting, int value, long most) {
        int least = Math.max(checked(setting, value, DEFAULT_QUEUE_SIZE, most), SMALLEST_QUEUE_SIZE);
        int rounded = Integer.highestOneBit(least);
        return (int) Math.min(rounded == least ? least : 2L * rounded, most);
    }

    private int messageSize(long most) {
        int size = checked("maxMessageSize", settings.maxMessageSize, DEFAULT_MESSAGE_SIZE, most);
        return (int) Math.min(Math.max(size, SMALLEST_MESSAGE_SIZE), most);
    }

    private int checked(String setting, int value, int otherwise, long most) {
        if (value > most) {
            throw Failures.refused(
                    DocaError.INVALID_VALUE,
                    SIZE_FUNCTIONS.get(setting),
                    "creating " + endpoint + " with " + setting + " " + value + "; " + settings.device
                            + " takes at most " + most);
        }
        return value == 0 ? (int) Math.min(otherwise, most) : value;
    }

    @Override
    Carrier carrier() {
        return Carrier.COMCH;
    }

    @Override
    EndpointSizes sizes() {
        return sizes;
    }

    @Override
    void listen(String name) {
        try (EngineEvents.Entered _ = events.enter()) {
            long tasks = Math.min((long) FULL_QUEUES * sizes.sendQueueSize(), capabilities.maxSendTasks());
            server = with(
                            ComchServer.builder(
                                    progress, settings.device, Objects.requireNonNull(settings.representor), name),
                            (int) tasks,
                            this::clientOf)
                    .onConnected(connection -> clientOf(connection))
                    .onStateChanged((self, now) -> changes++)
                    .start();
        }
    }

    @Override
    ChannelPeer connect(String name) {
        try (EngineEvents.Entered _ = events.enter()) {
            PeerOverComch made = new PeerOverComch(endpoint, ChannelPeerState.IN_PROGRESS);
            made.credits = Long.MAX_VALUE; // the pool of tasks is this peer's alone
            try {
                made.client = with(
                                ComchClient.builder(progress, settings.device, name),
                                sizes.sendQueueSize(),
                                connection -> made)
                        .onConnected(connection -> connected(made, connection))
                        .onRefused(() -> made.refused(made.client == null ? null : made.client.refusal()))
                        .start();
            } catch (DocaException e) {
                if (e.error() != DocaError.CONNECTION_ABORTED) {
                    throw e;
                }
                made.refused(e);
            }
            peers.add(made);
            return made;
        }
    }

    private <B extends ControlPathEndpoint.Builder<B>> B with(
            B builder, int tasks, Function<ComchConnection, PeerOverComch> peerOf) {
        return builder.maxMessageSize(sizes.maxMessageSize())
                .receiveQueueSize(sizes.receiveQueueSize())
                .sendTasks(tasks)
                .onMessage((connection, message) -> arrived(peerOf.apply(connection), message))
                .onDisconnected(connection -> ended(peerOf.apply(connection)))
                .onSendFailed((connection, error) -> lost(peerOf.apply(connection)));
    }

    /** The peer of a service's connection, which may be new. */
    private PeerOverComch clientOf(ComchConnection connection) {
        if (connection.attachment() instanceof PeerOverComch known) {
            return known;
        }
        PeerOverComch made = new PeerOverComch(endpoint, ChannelPeerState.IN_PROGRESS);
        made.credits = sizes.sendQueueSize();
        connection.attach(made);
        connected(made, connection);
        peers.add(made);
        changes++;
        return made;
    }

    private static void connected(PeerOverComch made, ComchConnection connection) {
        made.connection = connection;
        made.state = ChannelPeerState.CONNECTED;
    }

    /** In a progress. */
    private void arrived(PeerOverComch from, MemorySegment message) {
        arrived++;
        MemorySegment into = target;
        if (into == null || message.byteSize() > into.byteSize()) {
            arrivals.add(from, message);
            return;
        }
        target = null;
        try {
            MemorySegment.copy(message, 0, into, 0, message.byteSize());
        } catch (IllegalStateException e) { // another thread has closed its arena
            arrivals.add(from, message);
            throw e;
        }
        receivedLength = (int) message.byteSize();
        from.received(receivedLength);
        taken = from;
    }

    /**
     * In a progress: a message could not be delivered. Nothing that was sent behind it is to arrive as if nothing were
     * missing, so that the connection ends; what was accepted before this was known may still arrive.
     */
    private void lost(PeerOverComch peer) {
        if (peer.state == ChannelPeerState.DISCONNECTED || peer.endKnown) {
            return;
        }
        peer.lossUntold = true;
        ended(peer);
        try {
            leave(peer);
        } catch (MissingFunctionException e) {
            // a server of DOCA 2.5 or 2.6 ends all of its connections or none
        }
    }

    private static void leave(PeerOverComch peer) {
        if (peer.client != null) {
            peer.client.close();
        } else if (peer.connection != null && peer.connection.isOpen()) {
            peer.connection.disconnect();
        }
    }

    /** In a progress: the connection has ended. */
    private void ended(PeerOverComch peer) {
        if (peer.state == ChannelPeerState.DISCONNECTED || peer.endKnown) {
            return;
        }
        peer.endKnown = true;
        peer.state = ChannelPeerState.BROKEN;
        arrived++;
        changes++;
        arrivals.addEnd(peer);
    }

    @Override
    SubmitResult trySend(ChannelPeer to, MemorySegment message, boolean arms) {
        PeerOverComch peer = (PeerOverComch) to;
        try (EngineEvents.Entered _ = events.enter()) {
            SubmitResult result = submit(peer, message);
            if (!result.accepted() && arms) {
                events.prepareToSleep();
            }
            return result;
        }
    }

    private SubmitResult submit(PeerOverComch peer, MemorySegment message) {
        ComchConnection connection = Objects.requireNonNull(peer.connection);
        if (peer.credits <= 0) {
            makeProgress();
            peer.credits = sizes.sendQueueSize() - peer.undelivered();
            if (peer.credits <= 0) {
                return refused(SubmitResult.NO_TASK);
            }
        }
        SubmitResult result;
        try {
            result = connection.trySend(message);
            if (!result.accepted() && makeProgress()) {
                result = connection.trySend(message);
            }
        } catch (ConnectionClosedException e) {
            peer.state = ChannelPeerState.BROKEN;
            PeerBrokenException broken = new PeerBrokenException(peer, e.function(), e.action());
            peer.lossUntold = false;
            broken.initCause(e);
            throw broken;
        }
        if (!result.accepted()) {
            return refused(result);
        }
        peer.sent(message.byteSize());
        sent++;
        endedAtRefusal = -1;
        return result;
    }

    private SubmitResult refused(SubmitResult why) {
        peerHasNoRoom = why == SubmitResult.NO_RECEIVE;
        endedAtRefusal = count(ChannelEvent.SEND);
        return why;
    }

    /** Does what there is to do, while there is room for what may come of it. */
    private boolean makeProgress() {
        int done = 0;
        while (done < MOST_EVENTS && !arrivals.isFull() && engine.progress()) {
            done++;
        }
        return done > 0;
    }

    @Override
    @Nullable
    ChannelPeer tryReceive(MemorySegment buffer, boolean arms) {
        try (EngineEvents.Entered _ = events.enter()) {
            PeerOverComch from = take(buffer, 0);
            if (from == null && arms) {
                int looks = spins.count();
                from = looks == 0 ? null : take(buffer, looks);
                spins.looked(looks, from != null);
                if (from == null) {
                    events.prepareToSleep();
                }
            }
            if (arms) {
                events.worked(from != null);
            }
            return from;
        }
    }

    private @Nullable PeerOverComch take(MemorySegment buffer, int patience) {
        PeerOverComch waiting = takeWaiting(buffer);
        if (waiting != null) {
            return waiting;
        }
        target = buffer;
        taken = null;
        try {
            for (int i = 0; i < MOST_EVENTS && taken == null && arrivals.isEmpty(); i++) {
                if (engine.progress(1, patience) == 0) {
                    break;
                }
            }
        } finally {
            target = null;
        }
        return taken != null ? taken : takeWaiting(buffer);
    }

    private @Nullable PeerOverComch takeWaiting(MemorySegment buffer) {
        while (!arrivals.isEmpty()) {
            PeerOverComch from = arrivals.first();
            if (from.state == ChannelPeerState.DISCONNECTED) {
                arrivals.removeFirst();
            } else if (arrivals.firstIsEnd()) {
                arrivals.removeFirst();
                throw from.broken(ChannelCalls.RECEIVE_NAME, "receiving from ");
            } else {
                int length = arrivals.firstLength();
                if (length > buffer.byteSize()) {
                    throw new BufferTooSmallException(
                            length, buffer.byteSize(), ChannelCalls.RECEIVE_NAME, "receiving from " + from);
                }
                arrivals.copyFirst(buffer);
                arrivals.removeFirst();
                receivedLength = length;
                from.received(length);
                return from;
            }
        }
        return null;
    }

    @Override
    void update(ChannelPeer peer) {
        try (EngineEvents.Entered _ = events.enter()) {
            makeProgress();
        }
    }

    @Override
    ConnectionCounters counters(ChannelPeer peer) {
        PeerOverComch of = (PeerOverComch) peer;
        return new ConnectionCounters(of.sent, of.sentBytes, of.received, of.receivedBytes);
    }

    @Override
    long inFlight(ChannelPeer peer) {
        try (EngineEvents.Entered _ = events.enter()) {
            return ((PeerOverComch) peer).undelivered();
        }
    }

    @Override
    void disconnect(ChannelPeer peer) {
        PeerOverComch gone = (PeerOverComch) peer;
        try (EngineEvents.Entered _ = events.enter()) {
            makeProgress(); // so that a message that could not be delivered is known
            leave(gone);
            gone.state = ChannelPeerState.DISCONNECTED;
            peers.remove(gone);
        }
    }

    @Override
    List<ChannelPeer> refresh() {
        try (EngineEvents.Entered _ = events.enter()) {
            makeProgress();
            ComchServer serves = Objects.requireNonNull(server);
            if (serves.state() != ContextState.RUNNING) {
                throw Failures.refused(
                        DocaError.CONNECTION_RESET,
                        ChannelCalls.UPDATE_SERVICE_NAME,
                        "checking the clients of " + endpoint);
            }
            changesSeen = changes;
            events.rearm(ChannelEvent.SERVICE);
            return peers();
        }
    }

    @Override
    List<ChannelPeer> peers() {
        return List.copyOf(peers);
    }

    @Override
    public long count(ChannelEvent event) {
        return switch (event) {
            case SEND -> sent - inFlight();
            case RECEIVE -> arrived;
            case SERVICE -> changes;
        };
    }

    private long inFlight() {
        if (server != null) {
            return server.inFlight();
        }
        ComchClient client = peers.isEmpty() ? null : peers.getFirst().client;
        return client == null ? 0 : client.inFlight();
    }

    @Override
    public boolean holds(ChannelEvent event) {
        return switch (event) {
            case SEND -> endedAtRefusal >= 0 && endedAtRefusal != count(ChannelEvent.SEND);
            case RECEIVE -> !arrivals.isEmpty();
            case SERVICE -> changes != changesSeen;
        };
    }

    /** DOCA does not tell when a peer that had no room has room again. */
    @Override
    public boolean comesUntold(ChannelEvent event) {
        return event == ChannelEvent.SEND && endedAtRefusal >= 0 && peerHasNoRoom;
    }

    @Override
    int descriptor(ChannelEvent event) {
        return events.descriptor(event);
    }

    @Override
    void arm(ChannelEvent event) {
        events.arm(event);
    }

    @Override
    boolean await(ChannelEvent event, long nanos) {
        return events.await(event, nanos);
    }

    @Override
    void sleep(ChannelEvent event, long nanos) {
        events.sleep(event, nanos);
    }

    @Override
    void stopWaiting() {
        events.stopWaiting();
    }

    @Override
    void beginClosing() {
        events.beginClosing();
    }

    @Override
    void close() {
        progress.close();
        events.close();
    }
}
