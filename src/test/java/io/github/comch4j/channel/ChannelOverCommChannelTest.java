package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.bytes;
import static io.github.comch4j.channel.ChannelMachine.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.comch.NameTakenException;
import io.github.comch4j.emulator.EmulatedFaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/channel.md says of the endpoint API of DOCA, where it differs from endpoints over Comch. */
@Timeout(60)
@Needs(Feature.COMM_CHANNEL)
class ChannelOverCommChannelTest {
    private ChannelMachine machine;

    @BeforeEach
    void open() {
        machine = new ChannelMachine(Carrier.COMM_CHANNEL);
    }

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        machine.close();
    }

    @Test
    void itIsTheDefault() {
        try (ChannelClient client = ChannelEndpoint.builder(machine.host).client()) {
            assertThat(client.carrier()).isEqualTo(Carrier.COMM_CHANNEL);
        }
        assertThat(ChannelCapabilities.of(machine.host).carrier()).isEqualTo(Carrier.COMM_CHANNEL);
    }

    @Test
    void aClientWaitsUntilTheServiceReceives() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = client.connect(machine.name);
        until("the client's knock", () -> {
            assertThat(peer.update()).isEqualTo(ChannelPeerState.IN_PROGRESS);
            assertThat(service.refresh()).isEmpty();
            return service.pending() == 1;
        });
        assertThat(client.trySend(peer, bytes("too early")).accepted()).isFalse();
        assertThat(service.refresh()).isEmpty();
        assertThat(service.tryReceive(machine.buffer)).isNull();
        until("the connection", () -> peer.update() == ChannelPeerState.CONNECTED);
        assertThat(service.refresh()).hasSize(1);
        assertThat(service.pending()).isZero();
        service.send(service.refresh().getFirst(), bytes("you are welcome"), Machine.PATIENCE);
        assertThat(machine.receive(client)).isEqualTo("you are welcome");
    }

    @Test
    void aSendThatFailsIsRefusedAndTheConnectionGoesOn() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        assertThatThrownBy(() -> client.trySend(peer, bytes("not sent")))
                .asInstanceOf(InstanceOfAssertFactories.type(DocaException.class))
                .extracting(DocaException::error)
                .isEqualTo(DocaError.IO_FAILED);
        client.send(peer, bytes("the next"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("the next");
    }

    @Test
    void messagesOfAllPeersKeepTheirOrder() {
        ChannelService service = machine.listen();
        List<ChannelClient> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ChannelClient client = machine.client();
            machine.connect(client, service);
            clients.add(client);
        }
        for (int i = 0; i < 400; i++) {
            ChannelClient client = clients.get(i * 5 % 8);
            client.send(Objects.requireNonNull(client.peer()), bytes("message " + i), Machine.PATIENCE);
        }
        for (int i = 0; i < 400; i++) {
            assertThat(machine.receive(service)).isEqualTo("message " + i);
        }
    }

    @Test
    void whoLeavesIsNotToldOfUntilSomebodySends() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        client.send(toService, bytes("one"), Machine.PATIENCE);
        ChannelPeer toClient = Objects.requireNonNull(service.receive(machine.buffer, Machine.PATIENCE));
        toClient.disconnect();
        for (int i = 0; i < 100; i++) {
            assertThat(client.tryReceive(machine.buffer)).isNull();
        }
        until("the failure", () -> {
            try {
                client.trySend(toService, bytes("anybody?"));
                return false;
            } catch (PeerBrokenException e) {
                return true;
            }
        });
        assertThat(toService.state()).isEqualTo(ChannelPeerState.BROKEN);
    }

    @Test
    void itsNamesAreThoseOfComch() {
        machine.listen();
        assertThatThrownBy(() -> ChannelEndpoint.builder(machine.dpu)
                        .carrier(Carrier.COMCH)
                        .listen(machine.representor, machine.name))
                .isInstanceOf(NameTakenException.class);
        assertThatThrownBy(machine::listen)
                .asInstanceOf(InstanceOfAssertFactories.type(DocaException.class))
                .extracting(DocaException::error)
                .isEqualTo(DocaError.CONNECTION_ABORTED);
    }

    /** Each carrier at one end. */
    @Test
    void eitherEndMayUseComch() {
        ChannelService service = machine.listen();
        try (ChannelClient client =
                ChannelEndpoint.builder(machine.host).carrier(Carrier.COMCH).client()) {
            ChannelPeer toService = machine.connect(client, service);
            client.send(toService, bytes("over Comch"), Machine.PATIENCE);
            assertThat(machine.receive(service, toService)).isEqualTo("over Comch");
        }
        service.close();
        try (ChannelService other =
                ChannelEndpoint.builder(machine.dpu).carrier(Carrier.COMCH).listen(machine.representor, machine.name)) {
            ChannelClient client = machine.client();
            ChannelPeer toService = machine.connect(client, other);
            client.send(toService, bytes("to Comch"), Machine.PATIENCE);
            assertThat(machine.receive(other)).isEqualTo("to Comch");
            toService.disconnect();
        }
    }

    @Test
    void theFirstAttemptToConnectTellsOfARefusal() {
        ChannelClient client = machine.client();
        assertThatThrownBy(client::receiveEvents)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not connected yet");
        ChannelPeer peer = client.connect(machine.name);
        assertThat(peer.update()).isEqualTo(ChannelPeerState.ABORTED);
        assertThat(peer.inFlight()).isZero();
        assertThat(peer.counters()).isEqualTo(new ConnectionCounters(0, 0, 0, 0));
        peer.disconnect();
        assertThat(peer.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
    }
}
