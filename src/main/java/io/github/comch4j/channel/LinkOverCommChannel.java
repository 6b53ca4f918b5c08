package io.github.comch4j.channel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ChannelCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Poller;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint of DOCA. Messages are copied through memory of its own, so that DOCA never has an address of the
 * program's.
 *
 * <p>The user data of a peer is its place in {@link #peers}, counted from 1: DOCA gives peers by their addresses.
 */
final class LinkOverCommChannel extends EndpointLink {

    private static final int AGAIN = DocaError.AGAIN.code();
    private static final int RESET = DocaError.CONNECTION_RESET.code();
    private static final int NONE = -1;

    // in `memory`: three words, then a message on its way out, then one on its way in
    private static final long LENGTH = 0;
    private static final long PEER = 8;
    private static final long USER_DATA = 16;
    private static final long MESSAGE = 24;

    private final ChannelEndpoint owner;
    private final boolean serves;
    private final MemorySegment endpoint;
    private final long address;
    private final EndpointSizes sizes;
    private final MemorySegment memory;
    private final long incoming; // where in `memory` a message comes in
    private final Poller poller;
    private final ReceiveSpin spins = new ReceiveSpin();
    private final int[] descriptors = new int[ChannelEvent.ALL.size()]; // guarded by this, as is the next
    private boolean closed;
    private final List<@Nullable PeerOverCommChannel> peers = new ArrayList<>();
    private @Nullable PeerOverCommChannel last; // of whom a message came

    LinkOverCommChannel(ChannelEndpoint owner, ChannelEndpoint.Builder settings) {
        String action = "creating " + owner;
        this.owner = owner;
        this.serves = settings.representor != null;
        Arrays.fill(descriptors, NONE);
        ChannelCalls.checkThere();
        MemorySegment device = CoreObjects.of(settings.device).handle();
        this.poller = new Poller();
        this.endpoint = create(poller, action);
        this.address = endpoint.address();
        try {
            ChannelCalls.setDevice(endpoint, device, action);
            if (settings.representor != null) {
                ChannelCalls.setRepresentor(
                        endpoint, CoreObjects.of(settings.representor).handle(), action);
            }
            set(endpoint, "maxMessageSize", settings.maxMessageSize, action, ChannelCalls::setMaxMessageSize);
            set(endpoint, "sendQueueSize", settings.sendQueueSize, action, ChannelCalls::setSendQueueSize);
            set(endpoint, "receiveQueueSize", settings.receiveQueueSize, action, ChannelCalls::setReceiveQueueSize);
            this.sizes = new EndpointSizes(
                    ChannelCalls.maxMessageSize(endpoint, action),
                    ChannelCalls.sendQueueSize(endpoint, action),
                    ChannelCalls.receiveQueueSize(endpoint, action));
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (DocaException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
        long room = (sizes.maxMessageSize() + 7L) / 8 * 8;
        this.incoming = MESSAGE + room;
        this.memory = Arena.ofAuto().allocate(incoming + room, 8);
    }

    private static MemorySegment create(Poller poller, String action) {
        try {
            return ChannelCalls.create(action);
        } catch (RuntimeException | Error e) {
            poller.close();
            throw e;
        }
    }

    /** A call that sets a size. */
    private interface Setter {
        void set(MemorySegment endpoint, int size, String action);
    }

    private static void set(MemorySegment endpoint, String setting, int value, String action, Setter setter) {
        if (value != 0) {
            setter.set(endpoint, value, action + " with " + setting + " " + value);
        }
    }

    @Override
    Carrier carrier() {
        return Carrier.COMM_CHANNEL;
    }

    @Override
    EndpointSizes sizes() {
        return sizes;
    }

    @Override
    void listen(String name) {
        ChannelCalls.listen(endpoint, name, "creating " + owner);
    }

    @Override
    ChannelPeer connect(String name) {
        PeerOverCommChannel made;
        try {
            long peer = ChannelCalls.connect(endpoint, name, "connecting " + owner + " to \"" + name + "\"");
            made = known(peer, ChannelPeerState.IN_PROGRESS);
        } catch (DocaException e) {
            if (e.error() != DocaError.CONNECTION_ABORTED) {
                throw e;
            }
            made = new PeerOverCommChannel(owner, 0, ChannelPeerState.IN_PROGRESS);
            made.refused(e);
        }
        return made;
    }

    /** The peer at an address, which may be new. */
    private PeerOverCommChannel known(long at, ChannelPeerState stateOfNew) {
        PeerOverCommChannel latest = last;
        if (latest != null && latest.address == at) {
            return latest;
        }
        int code = ChannelCalls.userData(at, memory.address() + USER_DATA);
        if (code != Calls.SUCCESS) {
            throw Failures.refused(code, "doca_comm_channel_peer_addr_get_user_data", "looking for a peer of " + owner);
        }
        int place = (int) memory.get(JAVA_LONG, USER_DATA);
        PeerOverCommChannel found = place == 0 ? begin(at, stateOfNew) : Objects.requireNonNull(peers.get(place - 1));
        last = found;
        return found;
    }

    private PeerOverCommChannel begin(long at, ChannelPeerState state) {
        PeerOverCommChannel made = new PeerOverCommChannel(owner, at, state);
        int free = peers.indexOf(null);
        if (free < 0) {
            free = peers.size();
            peers.add(made);
        } else {
            peers.set(free, made);
        }
        ChannelCalls.setUserData(at, free + 1, "looking for a peer of " + owner);
        return made;
    }

    @Override
    SubmitResult trySend(ChannelPeer to, MemorySegment message, boolean arms) {
        long length = message.byteSize();
        MemorySegment.copy(message, 0, memory, MESSAGE, length);
        PeerOverCommChannel peer = (PeerOverCommChannel) to;
        SubmitResult result = submit(peer, length);
        if (!result.accepted() && arms) {
            arm(ChannelEvent.SEND);
            result = submit(peer, length);
        }
        return result;
    }

    private SubmitResult submit(PeerOverCommChannel peer, long length) {
        int code = ChannelCalls.send(address, memory.address() + MESSAGE, length, peer.address);
        if (code == Calls.SUCCESS) {
            return SubmitResult.ACCEPTED;
        }
        if (code == AGAIN) {
            return SubmitResult.NO_RECEIVE;
        }
        if (code == RESET) {
            peer.state = ChannelPeerState.BROKEN;
            throw new PeerBrokenException(peer, ChannelCalls.SEND_NAME, "sending to " + peer);
        }
        throw Failures.refused(
                code,
                ChannelCalls.SEND_NAME,
                "sending " + length + " bytes to " + peer
                        + (code == DocaError.INVALID_VALUE.code()
                                ? ", perhaps more than the peer's maxMessageSize()"
                                : ""));
    }

    @Override
    @Nullable
    ChannelPeer tryReceive(MemorySegment buffer, boolean arms) {
        PeerOverCommChannel from = take(buffer);
        if (!arms || from != null) {
            return from;
        }
        int looks = spins.count();
        for (int i = 0; from == null && i < looks; i++) {
            Thread.onSpinWait();
            from = take(buffer);
        }
        spins.looked(looks, from != null);
        if (from == null) {
            arm(ChannelEvent.RECEIVE);
            from = take(buffer);
        }
        return from;
    }

    private @Nullable PeerOverCommChannel take(MemorySegment buffer) {
        long room = Math.min(buffer.byteSize(), sizes.maxMessageSize());
        memory.set(JAVA_LONG, LENGTH, room);
        memory.set(JAVA_LONG, PEER, 0);
        long base = memory.address();
        int code = ChannelCalls.receive(address, base + incoming, base + LENGTH, base + PEER);
        if (code == AGAIN) {
            return null;
        }
        if (code != Calls.SUCCESS) {
            return notReceived(code, room);
        }
        long length = memory.get(JAVA_LONG, LENGTH);
        if (length < 0 || length > room) {
            throw Failures.refused(
                    DocaError.UNEXPECTED,
                    ChannelCalls.RECEIVE_NAME,
                    "receiving on " + owner + ": it returned a message of " + length + " bytes");
        }
        MemorySegment.copy(memory, incoming, buffer, 0, length);
        receivedLength = (int) length;
        PeerOverCommChannel from = known(memory.get(JAVA_LONG, PEER), ChannelPeerState.CONNECTED);
        if (from.state == ChannelPeerState.IN_PROGRESS) {
            from.state = ChannelPeerState.CONNECTED;
        }
        return from;
    }

    private @Nullable PeerOverCommChannel notReceived(int code, long room) {
        long at = memory.get(JAVA_LONG, PEER);
        if (code == RESET && (at != 0 || !serves)) {
            PeerOverCommChannel broken = at != 0
                    ? known(at, ChannelPeerState.BROKEN)
                    : Objects.requireNonNull(peers.isEmpty() ? null : peers.getFirst());
            broken.state = ChannelPeerState.BROKEN;
            throw new PeerBrokenException(broken, ChannelCalls.RECEIVE_NAME, "receiving from " + broken);
        }
        long length = memory.get(JAVA_LONG, LENGTH);
        if (code == DocaError.INVALID_VALUE.code() && length > room) {
            throw new BufferTooSmallException((int) length, room, ChannelCalls.RECEIVE_NAME, "receiving on " + owner);
        }
        if (serves && code == DocaError.INITIALIZATION.code()) {
            return null; // a client that has not got through its handshake, and knows
        }
        if (!serves && code == DocaError.NOT_CONNECTED.code()) {
            DocaException refusal =
                    Failures.refused(DocaError.CONNECTION_ABORTED, ChannelCalls.RECEIVE_NAME, "receiving on " + owner);
            peers.getFirst().refused(refusal);
            throw refusal;
        }
        throw Failures.refused(code, ChannelCalls.RECEIVE_NAME, "receiving on " + owner);
    }

    @Override
    void update(ChannelPeer peer) {
        PeerOverCommChannel of = (PeerOverCommChannel) peer;
        if (of.address == 0 || of.state == ChannelPeerState.DISCONNECTED) {
            return;
        }
        int code = ChannelCalls.update(of.address);
        switch (DocaError.of(code)) {
            case SUCCESS -> connected(of);
            case CONNECTION_INPROGRESS -> {
                // nothing new
            }
            case CONNECTION_ABORTED, CONNECTION_RESET -> {
                if (of.state == ChannelPeerState.IN_PROGRESS) {
                    of.refused(Failures.refused(code, ChannelCalls.UPDATE_NAME, "connecting " + of));
                } else if (of.state != ChannelPeerState.ABORTED) {
                    of.state = ChannelPeerState.BROKEN;
                }
            }
            default -> throw Failures.refused(code, ChannelCalls.UPDATE_NAME, "checking the state of " + of);
        }
    }

    private static void connected(PeerOverCommChannel peer) {
        if (peer.state == ChannelPeerState.IN_PROGRESS) {
            peer.state = ChannelPeerState.CONNECTED;
        }
    }

    @Override
    ConnectionCounters counters(ChannelPeer peer) {
        long at = ((PeerOverCommChannel) peer).address;
        if (at == 0) {
            return new ConnectionCounters(0, 0, 0, 0);
        }
        String action = "counting messages of " + peer;
        return new ConnectionCounters(
                ChannelCalls.sentMessages(at, action),
                ChannelCalls.sentBytes(at, action),
                ChannelCalls.receivedMessages(at, action),
                ChannelCalls.receivedBytes(at, action));
    }

    @Override
    long inFlight(ChannelPeer peer) {
        long at = ((PeerOverCommChannel) peer).address;
        return at == 0 ? 0 : ChannelCalls.inFlight(at, "counting messages of " + peer);
    }

    @Override
    void disconnect(ChannelPeer peer) {
        PeerOverCommChannel gone = (PeerOverCommChannel) peer;
        if (gone.address != 0) {
            ChannelCalls.disconnect(endpoint, gone.address, "disconnecting " + gone);
            peers.set(peers.indexOf(gone), null);
        }
        gone.state = ChannelPeerState.DISCONNECTED;
        last = null;
    }

    @Override
    List<ChannelPeer> refresh() {
        String action = "checking the clients of " + owner;
        DocaAnswer answer;
        do {
            answer = ChannelCalls.updateService(endpoint);
        } while (answer.is(DocaError.AGAIN)); // somebody has come meanwhile
        answer.check(action);
        List<ChannelPeer> connected = new ArrayList<>();
        for (long each : ChannelCalls.peers(endpoint, action)) {
            connected.add(known(each, ChannelPeerState.CONNECTED));
        }
        pending = ChannelCalls.pending(endpoint, action);
        return List.copyOf(connected);
    }

    @Override
    synchronized int descriptor(ChannelEvent event) {
        checkOpen();
        int known = descriptors[event.index];
        if (known == NONE) {
            String action = "asking " + owner + " for its event channels";
            known = switch (event) {
                case SEND -> ChannelCalls.sendEvents(endpoint, action);
                case RECEIVE -> ChannelCalls.receiveEvents(endpoint, action);
                case SERVICE -> ChannelCalls.serviceEvents(endpoint, action);
            };
            descriptors[event.index] = known;
        }
        return known;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(owner + " is closed");
        }
    }

    /** The lock keeps the endpoint from being destroyed meanwhile: any thread may arm. */
    @Override
    synchronized void arm(ChannelEvent event) {
        checkOpen();
        boolean sends = event == ChannelEvent.SEND;
        int code = sends ? ChannelCalls.armSend(address) : ChannelCalls.armReceive(address);
        if (code != Calls.SUCCESS) {
            throw Failures.refused(
                    code, sends ? ChannelCalls.ARM_SEND_NAME : ChannelCalls.ARM_RECEIVE_NAME, "arming " + owner);
        }
    }

    @Override
    boolean await(ChannelEvent event, long nanos) {
        return poller.await(descriptor(event), nanos);
    }

    @Override
    void sleep(ChannelEvent event, long nanos) {
        poller.await(descriptor(event), nanos);
    }

    @Override
    void stopWaiting() {
        poller.ring();
    }

    @Override
    synchronized void close() {
        if (!closed) {
            ChannelCalls.destroy(endpoint, "closing " + owner);
            closed = true;
            poller.close();
        }
    }

    @Override
    List<ChannelPeer> peers() {
        List<ChannelPeer> present = new ArrayList<>();
        for (PeerOverCommChannel each : peers) {
            if (each != null) {
                present.add(each);
            }
        }
        return present;
    }
}
