package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.bytes;
import static io.github.comch4j.channel.ChannelMachine.until;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.io.MessageSocket;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/channel.md says of endpoints over Comch, where it differs from the endpoint API of DOCA. */
@Timeout(60)
class ChannelOverComchTest {
    private final Machine comch = new Machine();
    private final ChannelMachine machine = new ChannelMachine(Carrier.COMCH);

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        machine.close();
        comch.close();
    }

    private static ChannelPeer brokenOf(ChannelEndpoint endpoint, MemorySegment buffer) {
        ChannelPeer[] peer = new ChannelPeer[1];
        until("the end of the connection", () -> {
            try {
                assertThat(endpoint.tryReceive(buffer)).isNull();
                return false;
            } catch (PeerBrokenException e) {
                peer[0] = e.peer();
                return true;
            }
        });
        return peer[0];
    }

    @Test
    void aClientThatLeavesIsToldOfOnceAfterItsMessages() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        client.send(peer, bytes("one"), Machine.PATIENCE);
        client.send(peer, bytes("two"), Machine.PATIENCE);
        client.close();
        assertThat(machine.receive(service)).isEqualTo("one");
        assertThat(machine.receive(service)).isEqualTo("two");
        ChannelPeer gone = brokenOf(service, machine.buffer);
        assertThat(gone.state()).isEqualTo(ChannelPeerState.BROKEN);
        assertThat(service.tryReceive(machine.buffer)).isNull();
        assertThat(service.refresh()).containsExactly(gone);
        assertThatThrownBy(() -> service.trySend(gone, bytes("x"))).isInstanceOf(PeerBrokenException.class);
        gone.disconnect();
        assertThat(service.refresh()).isEmpty();
    }

    /** Its pool of tasks has room for several of them. */
    @Test
    void clientsWhoseQueuesAreFullLeaveOthersRoom() {
        ChannelService service = machine.service().sendQueueSize(128).listen(machine.representor, machine.name);
        List<Integer> accepted = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ChannelClient client = machine.clients().receiveQueueSize(16).client();
            machine.connect(client, service);
            ChannelPeer slow = service.refresh().getLast();
            int messages = 0;
            while (service.trySend(slow, bytes("never received")).accepted()) {
                messages++;
            }
            accepted.add(messages);
        }
        assertThat(accepted).as("each has as many as the first").containsOnly(accepted.getFirst());
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aServiceThatDisconnectsIsToldOfAndAReceiveDoesNotWaitInVain() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        client.send(toService, bytes("x"), Machine.PATIENCE);
        ChannelPeer toClient = Objects.requireNonNull(service.receive(machine.buffer, Machine.PATIENCE));
        service.send(toClient, bytes("the last"), Machine.PATIENCE);
        toClient.disconnect();
        assertThat(machine.receive(client)).isEqualTo("the last");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> client.receive(machine.buffer, Duration.ofSeconds(Long.MAX_VALUE)))
                    .isInstanceOf(PeerBrokenException.class);
        }
        assertThat(client.tryReceive(machine.buffer)).isNull();
        assertThat(toService.state()).isEqualTo(ChannelPeerState.BROKEN);
        assertThat(toService.inFlight()).isZero();
    }

    @Test
    void aServiceKnowsAClientBeforeItsFirstMessage() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        machine.connect(client, service);
        ChannelPeer peer = service.refresh().getFirst();
        service.send(peer, bytes("you are welcome"), Machine.PATIENCE);
        assertThat(machine.receive(client)).isEqualTo("you are welcome");
    }

    @Test
    void theNameIsThatOfAServerOfComch() {
        ComchServer server = comch.server().start();
        assertThatThrownBy(() -> machine.service().listen(machine.representor, server.name()))
                .asInstanceOf(InstanceOfAssertFactories.type(DocaException.class))
                .extracting(DocaException::error)
                .isEqualTo(DocaError.INITIALIZATION);
    }

    @Test
    void aServerOfComchCanBeAtTheOtherEnd() {
        comch.server()
                .onMessage((connection, message) -> connection.enqueue(message.toArray(JAVA_BYTE)))
                .start();
        ChannelClient client = machine.client();
        ChannelPeer peer = client.connect(comch.name);
        comch.until("the connection", () -> peer.update() == ChannelPeerState.CONNECTED);
        assertThat(client.trySend(peer, bytes("hello")).accepted()).isTrue();
        comch.until("the echo", () -> client.tryReceive(machine.buffer) != null);
        assertThat(machine.text(client)).isEqualTo("hello");
    }

    @Test
    void aClientOfComchCanBeAtTheOtherEnd() {
        ChannelService service = machine.listen();
        List<Integer> lengths = new ArrayList<>();
        ComchClient client = ComchClient.builder(comch.engine, comch.host, service.name())
                .onMessage((connection, message) -> lengths.add((int) message.byteSize()))
                .start();
        comch.until("the connection", () -> {
            service.tryReceive(machine.buffer);
            return client.isConnected();
        });
        client.connection().send(new byte[] {1, 2, 3});
        comch.until("the message", () -> service.tryReceive(machine.buffer) != null);
        assertThat(service.receivedLength()).isEqualTo(3);
        service.send(service.refresh().getFirst(), MemorySegment.ofArray(new byte[5]), Machine.PATIENCE);
        comch.until("the answer", () -> !lengths.isEmpty());
        assertThat(lengths).containsExactly(5);
    }

    @Test
    void messagesThatSocketsSendEachOtherAreMessagesHere() {
        ChannelService service = machine.listen();
        try (EventLoop loop = EventLoop.start("socket");
                Device device = Device.openHost(Machine.HOST)) {
            Thread accepting = new Thread(() -> service.receive(machine.buffer, Machine.PATIENCE));
            accepting.start();
            MessageSocket socket = MessageSocket.builder(loop, device, service.name())
                    .maxMessageSize(service.maxMessageSize()) // DOCA's default is less in 2.5
                    .receiveLimit(1)
                    .connect(Machine.PATIENCE);
            socket.send(new byte[] {1}, Machine.PATIENCE);
            ChannelMachine.joined(accepting);
            ChannelPeer peer = service.refresh().getFirst();
            for (int i = 0; i < 100; i++) {
                service.send(peer, MemorySegment.ofArray(new byte[service.maxMessageSize()]), Machine.PATIENCE);
            }
            assertThat(service.receive(machine.buffer, Machine.PATIENCE)).isSameAs(peer);
            assertThat(service.receivedLength())
                    .as("how much it may send, of docs/sockets.md")
                    .isEqualTo(16);
        }
    }

    @Test
    void aConnectionThatALostDeviceBreaks() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        client.send(peer, bytes("x"), Machine.PATIENCE);
        machine.receive(service);
        new EmulatedFaults().drop(1).apply();
        until("the failure", () -> {
            try {
                client.trySend(peer, bytes("into the void"));
                return false;
            } catch (PeerBrokenException e) {
                return true;
            }
        });
        EmulatedFaults.clear();
        assertThat(brokenOf(service, machine.buffer).state()).isEqualTo(ChannelPeerState.BROKEN);
        peer.disconnect();
        client.send(machine.connect(client, service), bytes("anew"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("anew");
    }

    private static List<String> untilBroken(ChannelMachine machine, ChannelEndpoint reader) {
        List<String> received = new ArrayList<>();
        until("the end of the connection", () -> {
            try {
                if (reader.tryReceive(machine.buffer) != null) {
                    received.add(machine.text(reader));
                }
                return false;
            } catch (PeerBrokenException e) {
                return true;
            }
        });
        return received;
    }

    private void assertThatALossEndsTheConnection(ChannelEndpoint writer, ChannelPeer to, ChannelEndpoint reader) {
        new EmulatedFaults().failSend(2, DocaError.IO_FAILED).apply();
        writer.send(to, bytes("one"), Machine.PATIENCE);
        writer.send(to, bytes("lost"), Machine.PATIENCE);
        assertThat(to.update()).isEqualTo(ChannelPeerState.BROKEN);
        assertThatThrownBy(() -> writer.trySend(to, bytes("behind"))).isInstanceOf(PeerBrokenException.class);
        assertThat(untilBroken(machine, reader)).containsExactly("one");
        to.disconnect(); // has nothing more to tell
    }

    @Test
    void aSendOfAClientThatFailsLaterEndsTheConnection() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        assertThatALossEndsTheConnection(client, toService, service);
        client.send(machine.connect(client, service), bytes("anew"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("anew");
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aSendOfAServiceThatFailsLaterEndsThatConnection() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        machine.connect(client, service);
        ChannelPeer toClient = service.refresh().getFirst();
        ChannelClient other = machine.client();
        machine.connect(other, service);
        assertThatALossEndsTheConnection(service, toClient, client);
        service.send(service.refresh().getFirst(), bytes("others stay"), Machine.PATIENCE);
        assertThat(machine.receive(other)).isEqualTo("others stay");
    }

    @Test
    void aDisconnectTellsOfALossThatNothingElseHas() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        new EmulatedFaults().failSend(2, DocaError.IO_FAILED).apply();
        client.send(toService, bytes("one"), Machine.PATIENCE);
        client.send(toService, bytes("lost"), Machine.PATIENCE);
        assertThatThrownBy(toService::disconnect)
                .asInstanceOf(InstanceOfAssertFactories.type(PeerBrokenException.class))
                .extracting(PeerBrokenException::peer)
                .isSameAs(toService);
        assertThat(toService.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
        assertThat(untilBroken(machine, service)).containsExactly("one");
        assertThat(client.peer()).isNull();
        client.send(machine.connect(client, service), bytes("anew"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("anew");
    }

    @Test
    void clientsThatDoNotReceiveLeaveRoomForOthers() {
        ChannelService service = machine.service().sendQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient idle = machine.clients().receiveQueueSize(16).client();
        ChannelPeer toService = machine.connect(idle, service);
        ChannelClient busy = machine.client();
        machine.connect(busy, service);
        idle.send(toService, bytes("x"), Machine.PATIENCE);
        ChannelPeer slow = Objects.requireNonNull(service.receive(machine.buffer, Machine.PATIENCE));
        while (service.trySend(slow, bytes("unread")).accepted()) {
            Thread.onSpinWait();
        }
        assertThat(slow.inFlight()).isEqualTo(16);
        ChannelPeer fast = service.refresh().stream()
                .filter(each -> each != slow)
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 50; i++) {
            service.send(fast, bytes("read " + i), Machine.PATIENCE);
            assertThat(machine.receive(busy)).isEqualTo("read " + i);
        }
    }

    /** A service's peers share what eight of them may have in flight. */
    @Test
    void clientsThatLeaveGiveTheirShareBack() {
        ChannelService service = machine.service().sendQueueSize(16).listen(machine.representor, machine.name);
        for (int round = 0; round < 9; round++) {
            try (ChannelClient idle = machine.clients().receiveQueueSize(16).client()) {
                ChannelPeer toService = machine.connect(idle, service);
                idle.send(toService, bytes("x"), Machine.PATIENCE);
                ChannelPeer slow = Objects.requireNonNull(service.receive(machine.buffer, Machine.PATIENCE));
                while (service.trySend(slow, bytes("unread")).accepted()) {
                    Thread.onSpinWait();
                }
                assertThat(slow.inFlight()).isEqualTo(16);
            }
            brokenOf(service, machine.buffer).disconnect();
        }
        ChannelClient busy = machine.client();
        machine.connect(busy, service);
        ChannelPeer fast = service.refresh().getFirst();
        service.send(fast, bytes("read"), Machine.PATIENCE);
        assertThat(machine.receive(busy)).isEqualTo("read");
    }
}
