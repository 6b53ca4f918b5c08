package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.until;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service and a client in two JVMs: sleeping until the other one has done something, and the death of either. */
@Timeout(120)
class ChannelTwoProcessIT extends BothCarriers {
    private static final int ROUNDS = Integer.getInteger("comch4j.rounds", 20_000);

    private final MemorySegment message = Arena.ofAuto().allocate(JAVA_INT);

    private Child other(String side, String use) {
        Child child = Child.start(
                ChannelEcho.class, List.of(), Map.of("DOCA_EMU_SIDE", side), use, carrier.name(), machine.name);
        if (!"READY".equals(child.line())) {
            throw new AssertionError("the other process does not begin");
        }
        return child;
    }

    private void echo(ChannelClient client, ChannelPeer service, int number) {
        message.set(JAVA_INT, 0, number);
        client.send(service, message, Machine.PATIENCE);
        assertThat(client.receive(machine.buffer, Machine.PATIENCE)).isSameAs(service);
        assertThat(machine.buffer.get(JAVA_INT, 0)).isEqualTo(number);
    }

    @Test
    void anEchoThatBothSleepFor() {
        try (Child ignored = other("dpu", "serve");
                ChannelClient client = machine.client()) {
            ChannelPeer service = client.connect(machine.name, Machine.PATIENCE);
            for (int i = 0; i < ROUNDS; i++) {
                echo(client, service, i);
            }
            assertThat(service.counters().receivedMessages()).isEqualTo(ROUNDS);
            assertThat(ignored).isNotNull();
        }
    }

    /** AGAIN, arm, try again, sleep without a limit: a wake-up that is lost would be for ever. */
    @Test
    void noWakeUpIsLost() {
        try (Child ignored = other("dpu", "serve");
                ChannelClient client = machine.client()) {
            ChannelPeer service = client.connect(machine.name, Machine.PATIENCE);
            for (int i = 0; i < ROUNDS; i++) {
                message.set(JAVA_INT, 0, i);
                client.send(service, message, Machine.PATIENCE);
                while (client.tryReceive(machine.buffer) == null) {
                    assertThat(client.awaitReceive(Machine.PATIENCE)).isTrue();
                }
                assertThat(machine.buffer.get(JAVA_INT, 0)).isEqualTo(i);
            }
            assertThat(ignored).isNotNull();
        }
    }

    @Test
    void aServiceThatIsKilledIsMissedAndItsNameIsFree() {
        ChannelClient client = machine.client();
        Child child = other("dpu", "serve");
        ChannelPeer service = client.connect(machine.name, Machine.PATIENCE);
        echo(client, service, 1);
        child.kill();
        until("the end of the connection", () -> {
            try {
                client.trySend(service, message);
                client.tryReceive(machine.buffer);
                return false;
            } catch (PeerBrokenException e) {
                assertThat(e.peer()).isSameAs(service);
                return true;
            }
        });
        service.disconnect();
        try (Child next = other("dpu", "serve")) {
            echo(client, client.connect(machine.name, Machine.PATIENCE), 2);
            assertThat(next).isNotNull();
        }
    }

    @Test
    void whatAClientSentBeforeItWasKilledIsReceivedAndTheServiceGoesOn() {
        ChannelService service = machine.listen();
        Thread accepts = new Thread(() -> service.receive(machine.buffer, Machine.PATIENCE));
        accepts.start();
        Child child = other("host", "flood");
        ChannelMachine.joined(accepts);
        MemorySegment buffer = Arena.ofAuto().allocate(4080);
        for (int i = 1; i < 1000; i++) {
            assertThat(service.receive(buffer, Machine.PATIENCE)).isNotNull();
            assertThat(buffer.get(JAVA_INT, 0)).isEqualTo(i);
        }
        child.kill();
        int next = 1000;
        try {
            while (service.tryReceive(buffer) != null) {
                assertThat(buffer.get(JAVA_INT, 0)).isEqualTo(next++);
            }
        } catch (PeerBrokenException e) {
            assertThat(e.peer().state()).isEqualTo(ChannelPeerState.BROKEN);
        }
        assertThat(service.refresh()).hasSize(1);
        ChannelPeer broken = service.refresh().getFirst();
        until("the failure", () -> {
            try {
                service.tryReceive(buffer);
                service.trySend(broken, message);
                return false;
            } catch (PeerBrokenException e) {
                return e.peer() == broken;
            }
        });
        ChannelClient client = machine.client();
        client.send(machine.connect(client, service), message, Machine.PATIENCE);
        assertThat(service.receive(buffer, Machine.PATIENCE))
                .isNotSameAs(broken)
                .isNotNull();
    }

    @Test
    void aSendToAPeerThatIsKilledWhileItDoesNotReceiveEnds() {
        ChannelService service = machine.listen();
        Thread accepts = new Thread(() -> service.receive(machine.buffer, Machine.PATIENCE));
        accepts.start();
        Child child = other("host", "deaf");
        ChannelMachine.joined(accepts);
        ChannelPeer peer = service.refresh().getFirst();
        while (service.trySend(peer, message).accepted()) {
            Thread.onSpinWait();
        }
        Thread killer = new Thread(child::kill);
        killer.start();
        until("the failure", () -> {
            try {
                service.send(peer, message, Machine.PATIENCE);
                return false;
            } catch (PeerBrokenException e) {
                return true;
            }
        });
        ChannelMachine.joined(killer);
        peer.disconnect();
        assertThat(service.refresh()).isEmpty();
    }
}
