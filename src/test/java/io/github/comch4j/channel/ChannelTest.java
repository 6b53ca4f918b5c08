package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.bytes;
import static io.github.comch4j.channel.ChannelMachine.until;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ConnectionCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages, peers and sizes, in one process. */
@Timeout(120)
class ChannelTest extends BothCarriers {
    private static final int MESSAGES = 3000;

    private static ChannelPeer received(ChannelEndpoint endpoint, MemorySegment buffer) {
        return Objects.requireNonNull(endpoint.receive(buffer, Machine.PATIENCE), "nothing came");
    }

    /** The service's end of a connection, of which it learns by a message. */
    private ChannelPeer introduce(ChannelClient client, ChannelPeer toService, ChannelService service) {
        client.send(toService, bytes("hello"), Machine.PATIENCE);
        return received(service, machine.buffer);
    }

    @Test
    void messagesGoBothWays() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        assertThat(client.trySend(toService, bytes("question")).accepted()).isTrue();
        ChannelPeer toClient = received(service, machine.buffer);
        assertThat(machine.text(service)).isEqualTo("question");
        assertThat(toClient.endpoint()).isSameAs(service);
        assertThat(toClient.state()).isEqualTo(ChannelPeerState.CONNECTED);
        service.send(toClient, bytes("answer"), Machine.PATIENCE);
        assertThat(received(client, machine.buffer)).isSameAs(toService);
        assertThat(machine.text(client)).isEqualTo("answer");
        assertThat(client.tryReceive(machine.buffer)).isNull();
        assertThat(service.tryReceive(machine.buffer)).isNull();
        assertThat(client.peer()).isSameAs(toService);
        assertThat(client.carrier()).isEqualTo(carrier);
        assertThat(service.device()).isSameAs(machine.dpu);
        assertThat(service.name()).isEqualTo(machine.name);
    }

    private static int lengthOf(int number, int most) {
        return 5 + (int) (number * 2654435761L % (most - 4));
    }

    /** The sender goes on until there is no room, the receiver until there is nothing. */
    @Test
    void fullQueuesLoseNothingAndKeepTheOrder() {
        ChannelService service = machine.service().receiveQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient client = machine.clients().sendQueueSize(16).client();
        ChannelPeer peer = machine.connect(client, service);
        int most = client.maxMessageSize();
        MemorySegment message = Arena.ofAuto().allocate(most);
        int sent = 0;
        int received = 0;
        int refusals = 0;
        while (received < MESSAGES) {
            boolean room = true;
            while (room && sent < MESSAGES) {
                int length = lengthOf(sent, most);
                message.set(JAVA_INT, 0, sent);
                message.set(JAVA_BYTE, length - 1, (byte) sent);
                room = client.trySend(peer, message.asSlice(0, length)).accepted();
                sent += room ? 1 : 0;
            }
            refusals += room ? 0 : 1;
            machine.receive(service, peer);
            do {
                int number = machine.buffer.get(JAVA_INT, 0);
                assertThat(number).isEqualTo(received++);
                assertThat(service.receivedLength()).isEqualTo(lengthOf(number, most));
                assertThat(machine.buffer.get(JAVA_BYTE, service.receivedLength() - 1))
                        .isEqualTo((byte) number);
            } while (service.tryReceive(machine.buffer) != null);
        }
        assertThat(refusals).isGreaterThan(10);
    }

    @Test
    void anInterruptedAttemptToConnectLeavesNoPeer() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> client.connect(service.name(), Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.peer()).isNull();
    }

    @Test
    void bothMayFillTheirQueuesBeforeEitherReceives() {
        ChannelService service =
                machine.service().receiveQueueSize(16).sendQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient client =
                machine.clients().receiveQueueSize(16).sendQueueSize(16).client();
        ChannelPeer toService = machine.connect(client, service);
        ChannelPeer toClient = introduce(client, toService, service);
        int[] sent = new int[2];
        while (client.trySend(toService, bytes("to the service " + sent[0])).accepted()) {
            sent[0]++;
        }
        while (service.trySend(toClient, bytes("to the client " + sent[1])).accepted()) {
            sent[1]++;
        }
        assertThat(sent[0]).isGreaterThanOrEqualTo(16);
        assertThat(sent[1]).isGreaterThanOrEqualTo(16);
        for (int i = 0; i < sent[0]; i++) {
            assertThat(machine.receive(service, toService)).isEqualTo("to the service " + i);
        }
        for (int i = 0; i < sent[1]; i++) {
            assertThat(machine.receive(client, toClient)).isEqualTo("to the client " + i);
        }
        assertThat(client.trySend(toService, bytes("again")).accepted()).isTrue();
        assertThat(machine.receive(service)).isEqualTo("again");
    }

    @Test
    void aSendThatFindsNoRoomWaitsForTheTimeThatItHas() {
        ChannelService service = machine.service().receiveQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient client = machine.clients().sendQueueSize(16).client();
        ChannelPeer peer = machine.connect(client, service);
        int sent = 0;
        while (client.trySend(peer, bytes("message " + sent)).accepted()) {
            sent++;
        }
        assertThatThrownBy(() -> client.send(peer, bytes("too much"), Duration.ofMillis(20)))
                .asInstanceOf(InstanceOfAssertFactories.type(DocaException.class))
                .extracting(DocaException::error)
                .isEqualTo(DocaError.TIME_OUT);
        for (int i = 0; i < sent; i++) {
            assertThat(machine.receive(service, peer)).isEqualTo("message " + i);
        }
        client.send(peer, bytes("the next"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("the next");
    }

    @Test
    void roomThatWasRefusedManyTimesComesBackWhole() {
        ChannelService service = machine.service().receiveQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient client = machine.clients().sendQueueSize(16).client();
        ChannelPeer peer = machine.connect(client, service);
        int first = 0;
        for (int round = 0; round < 3; round++) {
            int sent = 0;
            while (client.trySend(peer, bytes("message")).accepted()) {
                sent++;
            }
            for (int i = 0; i < 17; i++) {
                assertThat(client.trySend(peer, bytes("too much")).accepted()).isFalse();
            }
            for (int i = 0; i < sent; i++) {
                assertThat(machine.receive(service, peer)).isEqualTo("message");
            }
            ChannelMachine.until("nothing in flight", () -> {
                peer.update();
                return peer.inFlight() == 0;
            });
            first = round == 0 ? sent : first;
            assertThat(sent).as("round " + round).isGreaterThanOrEqualTo(first);
        }
    }

    @Test
    void sizesAreRaisedAndRoundedAsDocaDoes() {
        ChannelClient client = machine.clients()
                .maxMessageSize(10)
                .sendQueueSize(10)
                .receiveQueueSize(17)
                .client();
        assertThat(client.maxMessageSize()).isEqualTo(256);
        assertThat(client.sendQueueSize()).isEqualTo(16);
        assertThat(client.receiveQueueSize()).isEqualTo(32);
        ChannelCapabilities most = ChannelCapabilities.of(machine.host, carrier);
        ChannelClient large = machine.clients()
                .maxMessageSize((int) most.maxMessageSize())
                .sendQueueSize((int) most.maxSendQueueSize())
                .receiveQueueSize((int) most.maxReceiveQueueSize())
                .client();
        assertThat(large.maxMessageSize()).isEqualTo((int) most.maxMessageSize());
        assertThatThrownBy(() -> machine.clients()
                        .maxMessageSize((int) most.maxMessageSize() + 1)
                        .client())
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("" + (most.maxMessageSize() + 1));
        for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0, 65536}) {
            assertThatThrownBy(() -> machine.clients().maxMessageSize(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("" + wrong);
        }
        for (int largest : new int[] {1, 65535}) {
            machine.clients().maxMessageSize(largest).sendQueueSize(largest).receiveQueueSize(largest);
        }
    }

    @Test
    void aNameHasAtLeastACharacterAndNoNul() {
        ChannelClient client = machine.clients().client();
        for (String wrong : List.of("", "\0", "\0name", "name\0", "na\0me")) {
            assertThatIllegalArgumentException().isThrownBy(() -> client.connect(wrong));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> machine.service().listen(machine.representor, wrong));
        }
    }

    @Test
    void statisticsKeepNoOtherThreadOut() throws Exception {
        ChannelService service = machine.listen();
        ChannelPeer peer = machine.connect(machine.client(), service);
        assertThat(peer.counters().sentMessages()).isZero();
        assertThat(CompletableFuture.supplyAsync(() -> peer.counters().sentMessages())
                        .get(10, TimeUnit.SECONDS))
                .isZero();
    }

    @Test
    void aMessageOfTheLargestSizeAndNoneBeyond() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        MemorySegment largest = Arena.ofAuto().allocate(client.maxMessageSize()).fill((byte) 7);
        client.send(peer, largest, Machine.PATIENCE);
        received(service, machine.buffer);
        assertThat(machine.buffer.asSlice(0, service.receivedLength()).mismatch(largest))
                .isEqualTo(-1);
        for (int wrong : new int[] {0, client.maxMessageSize() + 1}) {
            assertThatThrownBy(() -> client.trySend(peer, Arena.ofAuto().allocate(wrong)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes, not " + wrong);
        }
    }

    @Test
    void aMessageThatDoesNotFitRemainsTheNextOne() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        client.send(peer, bytes("a long message"), Machine.PATIENCE);
        MemorySegment small = Arena.ofAuto().allocate(4);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> service.receive(small, Machine.PATIENCE))
                    .asInstanceOf(InstanceOfAssertFactories.type(BufferTooSmallException.class))
                    .extracting(BufferTooSmallException::length)
                    .isEqualTo("a long message".length());
        }
        assertThat(machine.receive(service)).isEqualTo("a long message");
    }

    @Test
    void memoryThatCannotBeWrittenIsRefusedBeforeAMessageIsTaken() throws InterruptedException {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        client.send(peer, bytes("kept"), Machine.PATIENCE);
        Arena closed = Arena.ofConfined();
        MemorySegment gone = closed.allocate(4080);
        closed.close();
        assertThatThrownBy(() -> service.tryReceive(machine.buffer.asReadOnly()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> service.tryReceive(gone)).isInstanceOf(IllegalStateException.class);
        MemorySegment[] foreign = new MemorySegment[1];
        Thread other = new Thread(() -> foreign[0] = Arena.ofConfined().allocate(4080));
        other.start();
        other.join();
        assertThatThrownBy(() -> service.tryReceive(foreign[0])).isInstanceOf(WrongThreadException.class);
        assertThat(machine.receive(service)).isEqualTo("kept");
        assertThat(service.receive(MemorySegment.ofArray(new byte[10]), Duration.ZERO))
                .isNull();
    }

    @Test
    void aClientThatIsRefusedConnectsAnew() {
        ChannelClient client = machine.client();
        ChannelPeer refused = client.connect(machine.name);
        until("the refusal", () -> refused.update() != ChannelPeerState.IN_PROGRESS);
        assertThat(refused.state()).isEqualTo(ChannelPeerState.ABORTED);
        assertThat(refused.refusal()).satisfies(refusal -> {
            assertThat(refusal.error()).isEqualTo(DocaError.CONNECTION_ABORTED);
            assertThat(refusal.reason()).contains("\"" + machine.name + "\"");
        });
        assertThatThrownBy(() -> client.trySend(refused, bytes("x")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("never connected")
                .hasMessageContaining("\"" + machine.name + "\" on ");
        assertThatReceivingIsRefused(client, "finds no ");
        ChannelService service = machine.listen();
        assertThatThrownBy(() -> client.connect(machine.name))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ABORTED");
        refused.disconnect();
        assertThat(refused.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
        assertThat(refused.refusal()).isNull();
        ChannelPeer peer = machine.connect(client, service);
        assertThat(peer.refusal()).isNull();
        client.send(peer, bytes("now"), Machine.PATIENCE);
        assertThat(machine.receive(service)).isEqualTo("now");
    }

    private void assertThatReceivingIsRefused(ChannelClient client, String reason) {
        assertThatThrownBy(() -> client.receive(machine.buffer, Machine.PATIENCE))
                .isInstanceOfSatisfying(DocaException.class, refusal -> {
                    assertThat(refusal.error()).isEqualTo(DocaError.CONNECTION_ABORTED);
                    assertThat(refusal.reason()).contains(reason);
                });
    }

    @Test
    void whoReceivesBeforeLookingIsToldWhyThereIsNoConnection() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer refused = client.connect(machine.name);
        service.close(); // without having received, and so without having accepted anybody
        List<String> reasons = new ArrayList<>();
        until("the refusal", () -> {
            try {
                client.tryReceive(machine.buffer);
            } catch (DocaException e) {
                reasons.add(e.reason());
            }
            return !reasons.isEmpty();
        });
        assertThat(reasons.getFirst()).contains("\"" + machine.name + "\"");
        assertThatReceivingIsRefused(client, reasons.getFirst());
        assertThat(refused.state()).isEqualTo(ChannelPeerState.ABORTED);
        assertThat(refused.refusal()).satisfies(why -> assertThat(why.reason()).isEqualTo(reasons.getFirst()));
    }

    @Test
    void connectingForATimeTriesUntilThereIsAService() throws InterruptedException {
        ChannelClient client = machine.client();
        assertThatThrownBy(() -> client.connect(machine.name, Duration.ofMillis(30)))
                .asInstanceOf(InstanceOfAssertFactories.type(DocaException.class))
                .extracting(DocaException::error)
                .isEqualTo(DocaError.CONNECTION_ABORTED);
        assertThat(client.peer()).isNull();
        Thread echo = new Thread(() -> {
            try (ChannelService service = machine.listen()) {
                ChannelPeer from = received(service, machine.buffer);
                service.send(from, machine.buffer.asSlice(0, service.receivedLength()), Machine.PATIENCE);
                until("its arrival", () -> from.inFlight() == 0);
            }
        });
        echo.start();
        ChannelPeer peer = client.connect(machine.name, Machine.PATIENCE);
        client.send(peer, bytes("echo"), Machine.PATIENCE);
        MemorySegment answer = Arena.ofAuto().allocate(4080);
        received(client, answer);
        assertThat(answer.getString(0)).isEqualTo("echo");
        echo.join();
    }

    @Test
    void aPeerThatIsDisconnectedIsGoneAndTheNextIsAnother() {
        needsDisconnect();
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer first = machine.connect(client, service);
        ChannelPeer firstClient = introduce(client, first, service);
        client.send(first, bytes("not received"), Machine.PATIENCE);
        until("its arrival", () -> first.inFlight() == 0);
        service.receive(machine.buffer.asSlice(0, 100), Machine.PATIENCE);
        firstClient.disconnect();
        firstClient.disconnect();
        assertThat(firstClient.state()).isEqualTo(ChannelPeerState.DISCONNECTED);
        assertThatThrownBy(() -> service.trySend(firstClient, bytes("x")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("disconnected");
        assertThatThrownBy(firstClient::counters).isInstanceOf(IllegalStateException.class);
        first.disconnect();
        assertThat(client.peer()).isNull();
        assertThatThrownBy(() -> client.tryReceive(machine.buffer))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not connected");
        ChannelPeer second = machine.connect(client, service);
        assertThat(second).isNotSameAs(first);
        ChannelPeer secondClient = introduce(client, second, service);
        assertThat(secondClient).isNotSameAs(firstClient);
        assertThat(secondClient.number()).isGreaterThan(firstClient.number());
    }

    @Test
    void whatIsNotReceivedGoesWithItsPeer() {
        needsDisconnect();
        ChannelService service = machine.listen();
        List<ChannelClient> clients = List.of(machine.client(), machine.client());
        List<ChannelPeer> peers = new ArrayList<>();
        for (ChannelClient client : clients) {
            peers.add(introduce(client, machine.connect(client, service), service));
        }
        for (ChannelClient client : clients) {
            ChannelPeer peer = Objects.requireNonNull(client.peer());
            client.send(peer, bytes("from " + clients.indexOf(client)), Machine.PATIENCE);
            until("its arrival", () -> peer.inFlight() == 0);
        }
        peers.getFirst().update(); // over Comch the messages are in Java now
        peers.getFirst().disconnect();
        assertThat(machine.receive(service)).isEqualTo("from 1");
        assertThat(service.tryReceive(machine.buffer)).isNull();
    }

    @Test
    void aMessageThatWasSentBeforeTheEndIsReceived() {
        needsDisconnect();
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        ChannelPeer toClient = introduce(client, toService, service);
        service.send(toClient, bytes("answer"), Machine.PATIENCE);
        toClient.disconnect();
        service.close();
        assertThat(machine.receive(client)).isEqualTo("answer");
    }

    @Test
    void sendingToAPeerThatHasGoneBreaksItAndNoOther() {
        ChannelService service = machine.listen();
        ChannelClient leaving = machine.client();
        ChannelClient staying = machine.client();
        ChannelPeer gone = introduce(leaving, machine.connect(leaving, service), service);
        ChannelPeer toService = machine.connect(staying, service);
        ChannelPeer there = introduce(staying, toService, service);
        leaving.close();
        until("the failure", () -> {
            try {
                service.trySend(gone, bytes("anybody?"));
                gone.update();
                return false;
            } catch (PeerBrokenException e) {
                assertThat(e.peer()).isSameAs(gone);
                assertThat(e.error()).isEqualTo(DocaError.CONNECTION_RESET);
                return true;
            }
        });
        assertThat(gone.state()).isEqualTo(ChannelPeerState.BROKEN);
        assertThatThrownBy(() -> service.trySend(gone, bytes("x"))).isInstanceOf(PeerBrokenException.class);
        assertThat(gone.counters().receivedMessages()).isEqualTo(1);
        gone.disconnect();
        service.send(there, bytes("to the other"), Machine.PATIENCE);
        assertThat(machine.receive(staying)).isEqualTo("to the other");
        assertThat(service.refresh()).containsExactly(there);
    }

    @Test
    void countersCountWhatWentAndCame() {
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer toService = machine.connect(client, service);
        assertThat(toService.counters()).isEqualTo(new ConnectionCounters(0, 0, 0, 0));
        client.send(toService, bytes("four"), Machine.PATIENCE);
        client.send(toService, bytes("seven77"), Machine.PATIENCE);
        ChannelPeer toClient = received(service, machine.buffer);
        received(service, machine.buffer);
        service.send(toClient, bytes("one"), Machine.PATIENCE);
        received(client, machine.buffer);
        until("the arrivals", () -> toService.inFlight() == 0 && toClient.inFlight() == 0);
        assertThat(toService.counters()).isEqualTo(new ConnectionCounters(2, 11, 1, 3));
        assertThat(toClient.counters()).isEqualTo(new ConnectionCounters(1, 3, 2, 11));
    }

    @Test
    void whatDoesNotArriveIsInFlight() {
        ChannelService service = machine.service().receiveQueueSize(16).listen(machine.representor, machine.name);
        ChannelClient client = machine.clients().sendQueueSize(32).client();
        ChannelPeer peer = machine.connect(client, service);
        int sent = 0;
        while (client.trySend(peer, bytes("message")).accepted()) {
            sent++;
        }
        assertThat(peer.inFlight()).isBetween(1L, 32L);
        for (int i = 0; i < sent; i++) {
            assertThat(machine.receive(service, peer)).isEqualTo("message");
        }
        until("the arrivals", () -> peer.inFlight() == 0);
    }

    @Test
    void attachmentsStayToTheEnd() {
        needsDisconnect();
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = introduce(client, machine.connect(client, service), service);
        assertThat(peer.attachment()).isNull();
        assertThat(peer.attach("a note")).isSameAs(peer);
        assertThat(peer.attachment(String.class)).isEqualTo("a note");
        assertThatThrownBy(() -> peer.attachment(Integer.class))
                .isInstanceOf(ClassCastException.class)
                .hasMessageContaining("java.lang.String");
        client.send(Objects.requireNonNull(client.peer()), bytes("more"), Machine.PATIENCE);
        assertThat(received(service, machine.buffer).attachment()).isEqualTo("a note");
        peer.disconnect();
        assertThat(peer.attachment()).isEqualTo("a note");
    }

    @Test
    void aServiceKnowsItsClients() {
        needsDisconnect();
        ChannelService service = machine.listen();
        assertThat(service.refresh()).isEmpty();
        assertThat(service.pending()).isZero();
        List<ChannelPeer> known = new ArrayList<>();
        List<ChannelClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ChannelClient client = machine.client();
            clients.add(client);
            known.add(introduce(client, machine.connect(client, service), service));
        }
        assertThat(service.refresh()).containsExactlyInAnyOrderElementsOf(known);
        for (ChannelPeer peer : service.refresh()) {
            service.send(peer, bytes("for all"), Machine.PATIENCE);
        }
        for (ChannelClient client : clients) {
            assertThat(machine.receive(client)).isEqualTo("for all");
        }
        known.removeFirst().disconnect();
        assertThat(service.refresh()).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void manyClientsOfOneServiceAreToldApart() {
        ChannelService service = machine.listen();
        List<ChannelClient> clients = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            ChannelClient client = machine.clients().receiveQueueSize(16).client();
            clients.add(client);
            introduce(client, machine.connect(client, service), service).attach(i);
        }
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < clients.size(); i++) {
                ChannelClient client = clients.get(i);
                client.send(Objects.requireNonNull(client.peer()), bytes("of " + i), Machine.PATIENCE);
            }
            for (int i = 0; i < clients.size(); i++) {
                ChannelPeer from = received(service, machine.buffer);
                assertThat(machine.text(service)).isEqualTo("of " + from.attachment());
                service.send(from, bytes("to " + from.attachment()), Machine.PATIENCE);
            }
            for (int i = 0; i < clients.size(); i++) {
                assertThat(machine.receive(clients.get(i))).isEqualTo("to " + i);
            }
        }
        assertThat(service.refresh())
                .hasSize(clients.size())
                .allSatisfy(
                        peer -> assertThat(peer.counters().receivedMessages()).isEqualTo(11));
    }

    @Test
    void aNameIsTakenOnce() {
        machine.listen();
        assertThatThrownBy(machine::listen).isInstanceOf(DocaException.class);
        for (String wrong : List.of("", "a\0b")) {
            assertThatThrownBy(() -> machine.service().listen(machine.representor, wrong))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> machine.client().connect(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        int most = ChannelCapabilities.of(machine.dpu, carrier).maxNameLength();
        assertThatThrownBy(() -> machine.service().listen(machine.representor, "n".repeat(most + 1)))
                .isInstanceOfAny(
                        IllegalArgumentException.class, DocaException.class); // of Java's, or of DOCA's carrier
        machine.service().listen(machine.representor, "n".repeat(most)).close();
    }

    @Test
    void sizesThatWereNotSetDependOnTheCarrier() {
        try (ChannelClient client = machine.client()) {
            assertThat(List.of(client.maxMessageSize(), client.sendQueueSize(), client.receiveQueueSize()))
                    .isEqualTo(carrier == Carrier.COMCH ? List.of(4080, 1024, 1024) : List.of(1500, 128, 128));
        }
    }

    @Test
    void eachSideHasItsRole() {
        assertThatThrownBy(() -> ChannelEndpoint.builder(machine.dpu)
                        .carrier(carrier)
                        .client()
                        .connect(machine.name))
                .isInstanceOf(DocaException.class);
        assertThat(ChannelCapabilities.of(machine.host, carrier).maxConnections())
                .isEmpty();
        assertThat(ChannelCapabilities.of(machine.dpu, carrier).maxConnections())
                .isPresent();
        assertThat(ChannelCapabilities.of(machine.dpu, carrier).maxNameLength()).isBetween(100, 4096);
    }
}
