package io.github.comch4j.channel;

import static io.github.comch4j.channel.ChannelMachine.bytes;
import static io.github.comch4j.channel.ChannelMachine.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.internal.life.Poller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event channels: arming, sleeping, and who may do so from which thread. */
@Timeout(120)
class ChannelEventsTest extends BothCarriers {
    private static final long NOW = 0;
    private static final long PATIENCE = Machine.PATIENCE.toNanos();

    private final Poller poller = new Poller();
    private ChannelService service;
    private ChannelClient client;
    private ChannelPeer toService;

    @BeforeEach
    void connect() {
        service = machine.listen();
        client = machine.client();
        toService = machine.connect(client, service);
    }

    @AfterEach
    void closePoller() {
        poller.ring();
        poller.close();
    }

    private void send(String text) {
        client.send(toService, bytes(text), Machine.PATIENCE);
        until("its arrival", () -> toService.inFlight() == 0);
    }

    private static <T> T ofAnotherThread(Supplier<T> call)
            throws ExecutionException, InterruptedException, TimeoutException {
        return inThread(call).get(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Not in the common pool, whose threads may be as few as one. */
    private static <T> CompletableFuture<T> inThread(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(call.get());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    @Test
    void anArmedChannelTellsOfAMessageUntilItIsArmedAgain() {
        int descriptor = service.receiveEvents();
        assertThat(service.receiveEvents()).isEqualTo(descriptor);
        service.armReceive();
        assertThat(service.tryReceive(machine.buffer)).isNull();
        send("first");
        assertThat(poller.await(descriptor, PATIENCE)).isTrue();
        assertThat(poller.await(descriptor, NOW)).as("readable still").isTrue();
        service.armReceive();
        assertThat(poller.await(descriptor, PATIENCE)).as("there is something").isTrue();
        assertThat(machine.receive(service)).isEqualTo("first");
        assertThat(service.tryReceive(machine.buffer)).isNull();
        service.armReceive();
        assertThat(poller.await(descriptor, NOW)).as("there is nothing").isFalse();
    }

    @Test
    void aMessageThatACallHasFetchedFromTheDeviceIsThere() {
        int descriptor = service.receiveEvents();
        send("waiting");
        service.refresh(); // over Comch that makes progress, and the message is in Java then
        service.armReceive();
        assertThat(poller.await(descriptor, PATIENCE)).isTrue();
        assertThat(service.awaitReceive(Machine.PATIENCE)).isTrue();
        assertThat(machine.receive(service)).isEqualTo("waiting");
    }

    @Test
    void aFullQueueThatHasRoomAgainIsAnEvent() {
        int sent = 0;
        while (client.trySend(toService, bytes("message")).accepted()) {
            sent++;
        }
        assertThat(client.sendEvents()).isNotEqualTo(client.receiveEvents());
        client.armSend();
        for (int i = 0; i < sent; i++) {
            machine.receive(service, toService);
        }
        assertThat(poller.await(client.sendEvents(), PATIENCE)).isTrue();
        client.send(toService, bytes("more"), Machine.PATIENCE);
    }

    @Test
    void anIdleEndpointHasNoEvents() {
        send("the first");
        assertThat(machine.receive(service)).isEqualTo("the first");
        until("the end of what went on before", () -> {
            toService.update();
            client.armSend();
            client.armReceive();
            return !poller.await(client.sendEvents(), 20_000_000) && !poller.await(client.receiveEvents(), 20_000_000);
        });
        until("a sleep that nothing ends", () -> !client.awaitReceive(Duration.ofMillis(10)));
        until("another one", () -> !client.awaitSend(Duration.ofMillis(10)));
    }

    @Test
    void aClientThatComesOrGoesIsAnEventOfTheService() {
        service.refresh();
        int descriptor = service.serviceEvents();
        ChannelClient other = machine.client();
        ChannelPeer peer = other.connect(machine.name);
        assertThat(poller.await(descriptor, PATIENCE)).as("one comes").isTrue();
        until("the connection", () -> {
            service.tryReceive(machine.buffer);
            return peer.update() == ChannelPeerState.CONNECTED;
        });
        until("two clients", () -> service.refresh().size() == 2);
        other.close();
        assertThat(service.awaitServiceEvent(Machine.PATIENCE)).as("one goes").isTrue();
    }

    @Test
    void anotherThreadArmsAndSleepsWhileTheEndpointIsInUse() throws Exception {
        CompletableFuture<Integer> sleeper = inThread(() -> {
            int events = 0;
            while (events < 100 && service.awaitReceive(Machine.PATIENCE)) {
                events++;
            }
            return events;
        });
        int number = 0;
        while (!sleeper.isDone()) {
            send("message " + number);
            assertThat(machine.receive(service)).isEqualTo("message " + number++);
        }
        assertThat(sleeper.get()).isEqualTo(100);
    }

    @Test
    void aSleeperMissesNoMessageThatAnotherThreadsCallBroughtIn() throws Exception {
        MemorySegment mine = Arena.ofAuto().allocate(4080);
        for (int i = 0; i < 300; i++) {
            CompletableFuture<Boolean> sleeper = inThread(() -> service.awaitReceive(Machine.PATIENCE));
            service.refresh();
            client.send(toService, bytes("message"), Machine.PATIENCE);
            while (!sleeper.isDone()) {
                service.refresh(); // makes progress, and receives nothing
                toService.update();
            }
            assertThat(sleeper.get()).isTrue();
            assertThat(service.receive(mine, Machine.PATIENCE)).isNotNull();
        }
    }

    private @Nullable ChannelPeer receiveOnceTheOthersAreOut(Duration timeout) {
        while (true) {
            try {
                return service.receive(Arena.ofAuto().allocate(4080), timeout);
            } catch (WrongThreadException e) {
                Thread.yield();
            }
        }
    }

    @Test
    void twoThreadsAtOnceAreOneTooMany() throws Exception {
        CompletableFuture<Object> receiver =
                inThread(() -> Objects.requireNonNull(receiveOnceTheOthersAreOut(Machine.PATIENCE)));
        until("the other thread", () -> {
            try {
                service.refresh();
                return false;
            } catch (WrongThreadException e) {
                assertThat(e).hasMessageContaining("in use by").hasMessageContaining(service.toString());
                return true;
            }
        });
        service.armReceive();
        service.armSend();
        assertThat(service.isClosed()).isFalse();
        send("for the other thread");
        assertThat(receiver.get()).isInstanceOf(ChannelPeer.class);
        assertThat(service.refresh()).hasSize(1);
    }

    @Test
    void closingWakesWhoWaits() throws Exception {
        CompletableFuture<Throwable> receiver =
                failure(() -> receiveOnceTheOthersAreOut(Duration.ofSeconds(Long.MAX_VALUE)));
        CompletableFuture<Throwable> sleeper = failure(() -> {
            while (service.awaitReceive(Duration.ofSeconds(Long.MAX_VALUE))) {
                Thread.onSpinWait();
            }
        });
        until("the other thread", () -> {
            try {
                service.tryReceive(machine.buffer);
                return false;
            } catch (WrongThreadException e) {
                return true;
            }
        });
        service.close();
        for (CompletableFuture<Throwable> each : List.of(receiver, sleeper)) {
            assertThat(each.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
    }

    private static CompletableFuture<Throwable> failure(Runnable call) {
        return inThread(() -> {
            try {
                call.run();
                return new AssertionError("returned");
            } catch (RuntimeException e) {
                return e;
            }
        });
    }

    @Test
    void anInterruptEndsAWaitAndLosesNothing() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> service.receive(machine.buffer, Machine.PATIENCE))
                .isInstanceOf(WaitInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThatThrownBy(() -> service.awaitReceive(Machine.PATIENCE)).isInstanceOf(WaitInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        send("after that");
        assertThat(machine.receive(service)).isEqualTo("after that");
    }

    /** Half a second of waiting, in which a loop that polls would use most of half a second. */
    @Test
    void aWaitUsesHardlyAnyProcessorTime() {
        var threads = ManagementFactory.getThreadMXBean();
        service.receive(machine.buffer, Duration.ofMillis(20));
        long before = threads.getCurrentThreadCpuTime();
        assertThat(service.receive(machine.buffer, Duration.ofMillis(500))).isNull();
        assertThat(threads.getCurrentThreadCpuTime() - before).isLessThan(100_000_000);
    }

    @Test
    void anEventOfAnotherThreadsEndpointWakesAReceive() throws Exception {
        for (int i = 0; i < 200; i++) {
            String text = "message " + i;
            CompletableFuture<Boolean> sender = inThread(() -> {
                client.send(toService, bytes(text), Machine.PATIENCE);
                return true;
            });
            assertThat(machine.receive(service)).isEqualTo(text);
            sender.get();
        }
        assertThat(ofAnotherThread(() -> client.tryReceive(Arena.ofAuto().allocate(100)) == null))
                .isTrue();
    }
}
