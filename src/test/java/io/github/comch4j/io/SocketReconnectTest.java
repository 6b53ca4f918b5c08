package io.github.comch4j.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaException;
import io.github.comch4j.FramedPeer;
import io.github.comch4j.Machine;
import io.github.comch4j.TwoLoops;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.internal.life.LiveHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SocketReconnectTest extends TwoLoops {
    private static final Duration SHORT = Duration.ofMillis(5);

    private final BlockingQueue<LinkState> states = new LinkedBlockingQueue<>();

    private MessageServerSocket serve() {
        return MessageServerSocket.open(dpuLoop, dpu, representor, name);
    }

    private MessageSocket connect() {
        return MessageSocket.builder(hostLoop, host, name)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                .onState((socket, state) -> states.add(state))
                .connect(Machine.PATIENCE);
    }

    private LinkState nextState() throws InterruptedException {
        return states.poll(20, TimeUnit.SECONDS);
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    private static String receive(MessageSocket socket) {
        return new String(socket.receive(Machine.PATIENCE), UTF_8);
    }

    @Test
    void itConnectsAgainWhenTheServerIsBack() throws Exception {
        MessageServerSocket first = serve();
        try (MessageSocket socket = connect()) {
            assertThat(nextState()).isEqualTo(LinkState.CONNECTED);
            for (int round = 0; round < 5; round++) {
                MessageSocket accepted = first.accept(Machine.PATIENCE);
                socket.send(text("to"), Machine.PATIENCE);
                assertThat(receive(accepted)).isEqualTo("to");
                accepted.send(text("from " + round), Machine.PATIENCE);
                first.close();
                assertThat(receive(socket)).as("what had arrived").isEqualTo("from " + round);
                assertThat(nextState()).isEqualTo(LinkState.DISCONNECTED);
                assertThat(socket.awaitConnected(SHORT)).isFalse();
                assertThat(socket.state()).isEqualTo(LinkState.DISCONNECTED);
                assertThatThrownBy(() -> socket.receive(Machine.PATIENCE))
                        .isInstanceOf(ConnectionClosedException.class);
                assertThat(socket.receive(SHORT)).as("told once").isNull();
                Machine.until("a refusal", () -> socket.refusal() != null, new ProgressEngine[0]);
                assertThat(socket.refusal().reason()).contains("finds no server \"" + name + "\"");
                assertThatThrownBy(() -> socket.send(text("nowhere"), Machine.PATIENCE))
                        .isInstanceOf(ConnectionClosedException.class);
                assertThat(socket.sendAsync(text("nowhere")))
                        .failsWithin(Machine.PATIENCE)
                        .withThrowableThat()
                        .withCauseInstanceOf(ConnectionClosedException.class);
                first = serve();
                assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
                assertThat(nextState()).isEqualTo(LinkState.CONNECTED);
                assertThat(socket.connection().isOpen()).isTrue();
            }
        }
        assertThat(nextState()).isEqualTo(LinkState.CLOSED);
        assertThat(states).isEmpty();
        first.close();
    }

    /** Without that, the last of these pauses would be of minutes. */
    @Test
    void pausesBeginAnewAfterEachConnection() {
        MessageServerSocket server = serve();
        try (MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .reconnect(Duration.ofMillis(10), Duration.ofHours(1))
                .connect(Machine.PATIENCE)) {
            for (int round = 0; round < 14; round++) {
                server.close();
                assertThatThrownBy(() -> socket.receive(Machine.PATIENCE))
                        .isInstanceOf(ConnectionClosedException.class);
                server = serve();
                assertThat(socket.awaitConnected(Machine.PATIENCE))
                        .as("round " + round)
                        .isTrue();
            }
        }
        server.close();
    }

    private boolean hasEndpoint() {
        return hostLoop.<Boolean, RuntimeException>call(
                () -> LiveHandles.of(hostLoop.engine()).containsKey("EndpointContext"));
    }

    @Test
    void eachThreadThatReceivesLearnsOfTheEnd() throws Exception {
        MessageServerSocket server = serve();
        try (MessageSocket socket = connect()) {
            List<CompletableFuture<byte[]>> waiting = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                CompletableFuture<byte[]> result = new CompletableFuture<>();
                waiting.add(result);
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        result.complete(socket.receive(Machine.PATIENCE));
                    } catch (RuntimeException e) {
                        result.completeExceptionally(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                Machine.until("all wait", () -> Machine.waits(thread), new ProgressEngine[0]);
            }
            server.close();
            for (CompletableFuture<byte[]> result : waiting) {
                assertThat(result)
                        .failsWithin(Machine.PATIENCE)
                        .withThrowableThat()
                        .withCauseInstanceOf(ConnectionClosedException.class);
            }
            server = serve();
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            accepted.send(text("again"), Machine.PATIENCE);
            assertThat(receive(socket)).isEqualTo("again");
        }
        server.close();
    }

    /** Every message has a number: one that arrives twice, or after a later one, would be seen. */
    @Test
    void nothingIsSentTwice() throws Exception {
        int restartsAtLeast = 4;
        AtomicInteger restarts = new AtomicInteger();
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        List<MessageServerSocket> servers = new ArrayList<>(List.of(serve()));
        CompletableFuture<Void> enough = new CompletableFuture<>();
        Thread server = Thread.startVirtualThread(() -> {
            while (!enough.isDone()) {
                try {
                    MessageSocket accepted = servers.getLast().accept(Duration.ofMillis(50));
                    for (int i = 0; accepted != null && i < 300; i++) {
                        byte[] message = accepted.receive(Duration.ofMillis(50));
                        if (message != null) {
                            received.add(message);
                        }
                    }
                    servers.getLast().close();
                } catch (ConnectionClosedException e) {
                    servers.getLast().close();
                }
                servers.add(serve());
                restarts.incrementAndGet();
            }
        });
        List<Integer> failed = new ArrayList<>();
        try (MessageSocket socket = connect()) {
            for (int i = 0; restarts.get() < restartsAtLeast || received.size() <= 300; i++) {
                try {
                    socket.send(text(Integer.toString(i)), Machine.PATIENCE);
                } catch (ConnectionClosedException e) {
                    failed.add(i);
                    assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
                }
            }
        } catch (ConnectionClosedException e) { // a server may have ended while the last messages were in the buffer
            assertThat(e).hasMessageContaining("not sent");
        }
        enough.complete(null);
        server.join();
        servers.forEach(MessageServerSocket::close);
        List<Integer> numbers = received.stream()
                .map(bytes -> Integer.parseInt(new String(bytes, UTF_8)))
                .toList();
        assertThat(numbers).isSorted().doesNotHaveDuplicates().doesNotContainAnyElementsOf(failed);
    }

    /** Of connections that come and go while nobody receives, one former is kept. */
    @Test
    void messagesOfFormerConnectionsDoNotPileUp() throws Exception {
        MessageServerSocket server = serve();
        try (MessageSocket socket = connect()) {
            for (int round = 0; round < 6; round++) {
                MessageSocket accepted = server.accept(Machine.PATIENCE);
                accepted.send(text("round " + round), Machine.PATIENCE);
                server.close();
                assertThat(nextState()).isEqualTo(LinkState.CONNECTED);
                assertThat(nextState()).isEqualTo(LinkState.DISCONNECTED);
                server = serve();
            }
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            accepted.send(text("last"), Machine.PATIENCE);
            assertThat(receive(socket)).isEqualTo("round 0");
            assertThatThrownBy(() -> receive(socket)).isInstanceOf(ConnectionClosedException.class);
            assertThat(receive(socket)).isEqualTo("last");
        }
        server.close();
    }

    /** So that who waits for the next connection then does not take the former one for it. */
    @Test
    void theStateHasChangedBeforeASendFails() {
        MessageServerSocket server = serve();
        try (MessageSocket socket = connect()) {
            server.accept(Machine.PATIENCE); // and receives nothing
            List<CompletableFuture<LinkState>> ends = new ArrayList<>();
            for (int i = 0; i < 4000; i++) {
                ends.add(socket.sendAsync(new byte[2000]).handle((nothing, thrown) -> socket.state()));
            }
            hostLoop.call(() -> null); // now they wait in the queue
            server.close();
            assertThat(ends.getLast()).succeedsWithin(Machine.PATIENCE).isEqualTo(LinkState.DISCONNECTED);
        }
    }

    @Test
    void itConnectsAgainAfterABreak() throws Exception {
        try (MessageServerSocket server = serve();
                MessageSocket socket = connect()) {
            server.accept(Machine.PATIENCE);
            new EmulatedFaults().drop(1).apply();
            try {
                socket.send(text("lost"), Machine.PATIENCE);
                assertThatThrownBy(() -> socket.flush(Machine.PATIENCE))
                        .isInstanceOf(ConnectionClosedException.class)
                        .hasMessageContaining("a message that was queued was not sent");
            } finally {
                EmulatedFaults.clear();
            }
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
            socket.send(text("next"), Machine.PATIENCE);
            assertThat(receive(server.accept(Machine.PATIENCE))).isEqualTo("next");
        }
    }

    /** Which is this side's doing: more came than it keeps. */
    @Test
    void itConnectsAgainAfterItHasCutAPeerThatDoesNotWait() throws Exception {
        BlockingQueue<ComchConnection> flooding = new LinkedBlockingQueue<>();
        ComchServer server = dpuLoop.call(() -> ComchServer.builder(dpuLoop.engine(), dpu, representor, name)
                .onConnected(flooding::add)
                .start());
        try (MessageSocket socket = connect()) {
            FramedPeer peer = new FramedPeer();
            ComchConnection first = flooding.take();
            assertThatThrownBy(() -> dpuLoop.call(() -> {
                        while (true) {
                            peer.send(first, new byte[2000]);
                        }
                    }))
                    .isInstanceOf(ConnectionClosedException.class);
            ComchConnection second = flooding.take();
            dpuLoop.call(() -> {
                new FramedPeer().send(second, text("calmly"));
                return null;
            });
            assertThatThrownBy(() -> {
                        while (true) {
                            assertThat(socket.receive(Machine.PATIENCE)).hasSize(2000);
                        }
                    })
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasMessageContaining("which this process has ended");
            assertThat(receive(socket)).isEqualTo("calmly");
        }
        server.close();
    }

    @Test
    void aHandlerThatThrowsDoesNotKeepItFromConnecting() {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        MessageServerSocket server = serve();
        try (EventLoop loop = EventLoop.start("failing", IdleStrategy.eventDriven(), thrown::add)) {
            MessageSocket socket = MessageSocket.builder(loop, host, name)
                    .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                    .onState((self, state) -> {
                        throw new IllegalArgumentException(state.toString());
                    })
                    .connect(Machine.PATIENCE);
            server.close();
            assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
            server = serve();
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isTrue();
            socket.close();
        }
        server.close();
        assertThat(thrown)
                .extracting(Throwable::getMessage)
                .containsExactly("CONNECTED", "DISCONNECTED", "CONNECTED", "CLOSED");
    }

    @Test
    void itIsClosedWhileThereIsNoServer() throws Exception {
        MessageServerSocket server = serve();
        MessageSocket socket = connect();
        server.close();
        until(LinkState.DISCONNECTED::equals);
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        CompletableFuture<byte[]> waiting = Machine.onThread(() -> socket.receive(Machine.PATIENCE));
        CompletableFuture<Boolean> connecting = Machine.onThread(() -> socket.awaitConnected(Machine.PATIENCE));
        socket.close();
        assertThat(socket.state()).isEqualTo(LinkState.CLOSED);
        assertThat(waiting)
                .failsWithin(Machine.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
        assertThat(connecting.get()).isFalse();
        socket.close();
        until(LinkState.CLOSED::equals);
        assertThat(states).isEmpty();
        try (MessageServerSocket again = serve()) {
            assertThat(again.accept(Duration.ofMillis(100)))
                    .as("it connects no more")
                    .isNull();
        }
        assertThat(hasEndpoint()).isFalse();
    }

    @Test
    void itsLoopIsClosedWhileThereIsNoServer() throws Exception {
        MessageServerSocket server = serve();
        EventLoop loop = EventLoop.start("short");
        MessageSocket socket = MessageSocket.builder(loop, host, name)
                .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                .connect(Machine.PATIENCE);
        server.close();
        assertThatThrownBy(() -> socket.receive(Machine.PATIENCE)).isInstanceOf(ConnectionClosedException.class);
        CompletableFuture<byte[]> waiting = Machine.onThread(() -> socket.receive(Machine.PATIENCE));
        loop.close();
        assertThat(waiting)
                .failsWithin(Machine.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
        assertThat(socket.awaitConnected(Machine.PATIENCE)).isFalse();
        socket.close();
    }

    @Test
    void whatItsLoopIsClosedInTheMiddleOfIsNotAwaitedForEver() throws Exception {
        EventLoop loop = EventLoop.start("short");
        CompletableFuture<MessageSocket> connecting =
                Machine.onThread(() -> MessageSocket.connect(loop, host, "nobody", Duration.ofDays(1)));
        Machine.until(
                "an attempt",
                () -> loop.<Boolean, RuntimeException>call(
                        () -> LiveHandles.of(loop.engine()).containsKey("EndpointContext")),
                new ProgressEngine[0]);
        loop.close();
        assertThat(connecting).failsWithin(Machine.PATIENCE);
    }

    @Test
    void withoutReconnectItStaysDisconnected() throws Exception {
        MessageServerSocket server = serve();
        try (MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .onState((self, state) -> states.add(state))
                .connect(Machine.PATIENCE)) {
            assertThat(socket.awaitConnected(Duration.ZERO)).isTrue();
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            assertThat(accepted.state()).isEqualTo(LinkState.CONNECTED);
            server.close();
            until(LinkState.DISCONNECTED::equals);
            assertThat(socket.awaitConnected(Machine.PATIENCE)).isFalse();
            assertThat(accepted.awaitConnected(Machine.PATIENCE)).isFalse();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> socket.receive(Machine.PATIENCE))
                        .isInstanceOf(ConnectionClosedException.class);
            }
        }
        until(LinkState.CLOSED::equals);
    }

    private void until(Predicate<LinkState> wanted) throws InterruptedException {
        LinkState state = nextState();
        while (state != null && !wanted.test(state)) {
            state = nextState();
        }
        assertThat(state).isNotNull();
    }

    @Test
    void aServerThatRefusesForGoodIsToldAtOnce() {
        assertThatThrownBy(() -> MessageSocket.builder(hostLoop, host, name)
                        .sendTasks(1 << 30)
                        .connect(Duration.ofDays(1)))
                .isInstanceOf(DocaException.class)
                .hasMessageContaining("sendTasks");
        assertThatThrownBy(() -> MessageSocket.builder(hostLoop, host, name).reconnect(Duration.ZERO, SHORT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageSocket.builder(hostLoop, host, name).reconnect(Duration.ofSeconds(1), SHORT))
                .isInstanceOf(IllegalArgumentException.class);
        host.close();
        assertThatThrownBy(() -> MessageSocket.connect(hostLoop, host, name, Duration.ofDays(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }
}
