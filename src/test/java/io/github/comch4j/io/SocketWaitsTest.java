package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits makes the progress, and handlers of the program run in the loop all the same. */
@Timeout(60)
class SocketWaitsTest extends SocketScene {
    private static final int QUESTIONS = 500;
    private static final long PAUSE = 500_000; // nanoseconds, in which a loop falls asleep

    private Thread answerer;

    /** Answers on the DPU until the client has gone. */
    private void startAnswerer() {
        answerer = Thread.ofPlatform().start(() -> {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            try {
                for (byte[] message = accepted.receive(Machine.PATIENCE);
                        message != null;
                        message = accepted.receive(Machine.PATIENCE)) {
                    accepted.send(message, Machine.PATIENCE);
                }
            } catch (ConnectionClosedException e) {
                // it has
            }
        });
    }

    private static void ask(MessageSocket socket) {
        socket.send(new byte[8], Machine.PATIENCE);
        assertThat(socket.receive(Machine.PATIENCE)).hasSize(8);
        LockSupport.parkNanos(PAUSE);
    }

    /** How often the thread of a loop has fallen asleep. */
    private static long sleeps(EventLoop loop) throws IOException {
        Path task = loop.call(Machine::taskOfThisThread);
        return Files.readAllLines(task.resolve("status")).stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }

    @Test
    void aQuestionWakesNoLoop() throws Exception {
        startAnswerer();
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            ask(socket);
            long host = sleeps(hostLoop);
            long dpu = sleeps(dpuLoop);
            for (int i = 0; i < QUESTIONS; i++) {
                ask(socket);
            }
            assertThat(sleeps(hostLoop) - host).isLessThan(QUESTIONS / 2);
            assertThat(sleeps(dpuLoop) - dpu).isLessThan(QUESTIONS / 2);
        }
        answerer.join();
    }

    @Test
    void whatComesAfterManyQuestionsIsNoticedWithoutAnother() throws Exception {
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < 20; i++) {
                    socket.send(new byte[8], Machine.PATIENCE);
                    accepted.send(accepted.receive(Machine.PATIENCE), Machine.PATIENCE);
                    assertThat(socket.receive(Machine.PATIENCE)).hasSize(8);
                }
                long before = socket.connection().received();
                accepted.send(new byte[8], Machine.PATIENCE);
                Machine.until("the message", () -> socket.connection().received() > before, new ProgressEngine[0]);
                assertThat(socket.receive(Machine.PATIENCE)).hasSize(8);
            }
        }
    }

    @Test
    void aCallWakesNoLoopOfTheClient() throws Exception {
        String service = Machine.uniqueName();
        RpcServer calls = RpcServer.builder(dpuLoop, dpu, representor, service)
                .method(1, RpcRequest::body)
                .start();
        try (RpcClient client = RpcClient.builder(hostLoop, host, service).connect(Machine.PATIENCE)) {
            client.call(1, new byte[8]);
            long host = sleeps(hostLoop);
            for (int i = 0; i < QUESTIONS; i++) {
                assertThat(client.call(1, new byte[8])).hasSize(8);
                LockSupport.parkNanos(PAUSE);
            }
            assertThat(sleeps(hostLoop) - host).isLessThan(QUESTIONS / 2);
        }
        calls.close();
    }

    @Test
    void dependentsOfFuturesRunInTheLoop() throws Exception {
        startAnswerer();
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            Thread asker = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < QUESTIONS; i++) {
                    assertThat(socket.receive(Machine.PATIENCE)).hasSize(8);
                }
            });
            for (int i = 0; i < QUESTIONS; i++) {
                var _ = socket.sendAsync(new byte[8]).thenRun(() -> seen.add(Thread.currentThread()));
            }
            asker.join();
            assertThat(seen).isNotEmpty().isSubsetOf(Thread.currentThread(), hostLoop.call(Thread::currentThread));
        }
        answerer.join();
    }

    @Test
    void handlersOfTheProgramRunInTheLoop() throws Exception {
        startAnswerer();
        String other = Machine.uniqueName();
        Set<Thread> handlers = ConcurrentHashMap.newKeySet();
        Queue<ComchConnection> clients = new ConcurrentLinkedQueue<>();
        ComchServer programs = dpuLoop.call(() -> ComchServer.builder(dpuLoop.engine(), dpu, representor, other)
                .onConnected(clients::add)
                .start());
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            ComchClient client = hostLoop.call(() -> ComchClient.builder(hostLoop.engine(), host, other)
                    .onMessage((connection, message) -> handlers.add(Thread.currentThread()))
                    .start());
            Machine.until("the connection", () -> !clients.isEmpty(), new ProgressEngine[0]);
            for (int i = 0; i < QUESTIONS; i++) {
                dpuLoop.call(() -> clients.element().trySend(new byte[8]));
                ask(socket);
            }
            assertThat(handlers).containsExactly(hostLoop.call(Thread::currentThread));
            client.close();
            for (int i = 0; i < 10; i++) { // the engine is free again
                ask(socket);
            }
        }
        programs.close();
        answerer.join();
    }

    @Test
    void aReceiverThatGivesUpLeavesNothingUndone() throws Exception {
        startAnswerer();
        try (MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE)) {
            for (int i = 0; i < 50; i++) {
                assertThat(socket.receive(Duration.ofNanos(i * 10_000L))).isNull();
                ask(socket);
                assertThat(hostLoop.call(() -> true)).isTrue();
            }
        }
        answerer.join();
    }
}
