package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing in each state, what can be called afterwards, and what remains. */
@Timeout(120)
class ChannelClosingTest extends BothCarriers {

    private static void closed(Stream<ThrowingCallable> calls) {
        assertThat(calls)
                .isNotEmpty()
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("closed"));
    }

    private Stream<ThrowingCallable> callsOf(ChannelEndpoint endpoint, ChannelPeer peer) {
        return Stream.of(
                () -> endpoint.trySend(peer, bytes("x")),
                () -> endpoint.send(peer, bytes("x"), Machine.PATIENCE),
                () -> endpoint.tryReceive(machine.buffer),
                () -> endpoint.receive(machine.buffer, Machine.PATIENCE),
                endpoint::receiveEvents,
                endpoint::sendEvents,
                endpoint::armReceive,
                endpoint::armSend,
                () -> endpoint.awaitReceive(Duration.ZERO),
                () -> endpoint.awaitSend(Duration.ZERO),
                peer::update);
    }

    @Test
    void whatIsClosedSaysSo() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        client.send(toService, bytes("x"), Machine.PATIENCE);
        ChannelPeer toClient = java.util.Objects.requireNonNull(service.receive(machine.buffer, Machine.PATIENCE));
        client.close();
        client.close();
        service.close();
        service.close();
        assertThat(client.isClosed()).isTrue();
        assertThat(toService.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
        assertThat(toClient.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
        closed(callsOf(client, toService));
        closed(callsOf(service, toClient));
        closed(Stream.of(
                service::refresh,
                service::serviceEvents,
                () -> service.awaitServiceEvent(Duration.ZERO),
                () -> client.connect(machine.name),
                () -> client.connect(machine.name, Machine.PATIENCE)));
        toService.disconnect();
        assertThat(service.maxMessageSize()).isGreaterThan(0);
        assertThat(service.receivedLength()).isEqualTo(1);
        assertThat(client.toString()).contains("client");
    }

    @Test
    void theirDeviceClosesThem() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        machine.connect(client, service);
        machine.host.close();
        machine.dpu.close();
        assertThat(client.isClosed()).isTrue();
        assertThat(service.isClosed()).isTrue();
        assertThatThrownBy(machine::client).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(machine::listen).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void inEachState() {
        machine.client().close();
        ChannelClient refused = machine.client();
        refused.connect(machine.name);
        refused.close();
        try (ChannelService service = machine.listen()) {
            ChannelClient connecting = machine.client();
            ChannelPeer begun = connecting.connect(machine.name);
            connecting.close();
            assertThat(begun.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
            ChannelClient connected = machine.client();
            ChannelPeer peer = machine.connect(connected, service);
            while (connected.trySend(peer, bytes("never received")).accepted()) {
                Thread.onSpinWait();
            }
            connected.close();
            ChannelClient next = machine.client();
            next.connect(machine.name);
        }
        try (ChannelService service = machine.listen()) {
            assertThat(service.refresh()).isEmpty();
        }
    }

    @Test
    void aPeerOfAnotherEndpointIsRefused() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelClient other = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        machine.connect(other, service);
        assertThatThrownBy(() -> other.trySend(peer, bytes("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(peer.toString());
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }

    private void useAll() {
        try (ChannelService service = machine.listen();
                ChannelClient client = machine.client()) {
            ChannelPeer peer = machine.connect(client, service);
            client.send(peer, bytes("x"), Machine.PATIENCE);
            machine.receive(service);
            for (ChannelEndpoint endpoint : List.of(service, client)) {
                endpoint.armReceive();
                endpoint.receiveEvents();
                endpoint.sendEvents();
                endpoint.awaitSend(Duration.ofNanos(1));
            }
            service.serviceEvents();
            peer.disconnect();
            machine.connect(client, service);
        }
    }

    @Test
    void nothingRemains() throws IOException {
        useAll();
        long before = descriptors();
        for (int i = 0; i < 20; i++) {
            useAll();
        }
        assertThat(descriptors()).isLessThanOrEqualTo(before + 5); // the JVM has some of its own
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> {
                try (ChannelService first = machine.listen()) {
                    machine.service().listen(machine.representor, first.name());
                }
            });
        }
        assertThat(descriptors()).isLessThanOrEqualTo(before + 5);
    }

    @Test
    void aBuilderMakesOneEndpoint() {
        ChannelEndpoint.Builder services = machine.service();
        services.listen(machine.representor, machine.name);
        ChannelEndpoint.Builder clients = machine.clients();
        clients.client();
        Stream<ThrowingCallable> calls = Stream.of(
                () -> services.listen(machine.representor, machine.name),
                () -> services.maxMessageSize(1000),
                () -> services.sendQueueSize(16),
                () -> services.receiveQueueSize(16),
                () -> services.carrier(carrier),
                clients::client,
                () -> clients.maxMessageSize(1000),
                () -> clients.sendQueueSize(16),
                () -> clients.receiveQueueSize(16),
                () -> clients.carrier(carrier));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("has been used"));
    }
}
