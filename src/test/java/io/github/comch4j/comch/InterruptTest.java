package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each call that waits, by a thread that is interrupted. */
@Timeout(60)
class InterruptTest extends BothForms {

    @AfterEach
    void isNotInterruptedAnyMore() {
        Thread.interrupted();
    }

    private static void ends(String what, ThrowingCallable call) {
        Class<?> expected =
                List.of("read", "write").contains(what) ? InterruptedIOException.class : WaitInterruptedException.class;
        Thread.currentThread().interrupt();
        assertThatThrownBy(call).as(what).isExactlyInstanceOf(expected).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted())
                .as("%s: the thread remains interrupted", what)
                .isTrue();
    }

    @Test
    void waitingOnAnEngineEnds() {
        try (Pair pair = new Pair()) {
            Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
            calls.put("await", () -> pair.machine.engine.await(() -> false, Machine.PATIENCE));
            calls.put("awaitEvent", () -> {
                pair.machine.settle();
                while (pair.machine.engine.awaitEvent(Machine.PATIENCE)) {
                    pair.machine.settle();
                }
            });
            calls.put("connect", () -> pair.machine.client().connect(Machine.PATIENCE));
            calls.put(
                    "start",
                    () -> pair.dpuSide
                            .consumer(pair.machine.engine, pair.receiveMemory)
                            .start(Machine.PATIENCE));
            calls.put(
                    "start with slots",
                    () -> pair.dpuSide.slotConsumer(pair.machine.engine, 64).start(Machine.PATIENCE));
            calls.put("send", () -> {
                while (true) {
                    pair.hostSide.send(new byte[1000]); // there is no room after a few
                }
            });
            calls.put(
                    "read",
                    () -> ComchInputChannel.open(pair.dpuSide, pair.machine.engine, 1, 16)
                            .read(ByteBuffer.allocate(1)));
            calls.put("write", () -> {
                ComchConsumer consumer = pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .start();
                pair.machine.until("the consumer", consumer::isRunning); // with no buffer posted
                ComchOutputChannel.open(pair.hostSide, consumer.id(), pair.machine.engine, 1, 16)
                        .write(ByteBuffer.allocate(100));
            });
            calls.forEach(InterruptTest::ends);
        }
    }

    @Test
    void whatNeedNotWaitDoesNotLook() {
        try (Pair pair = new Pair()) {
            Thread.currentThread().interrupt();
            pair.hostSide.send(new byte[1]);
            assertThat(pair.machine.engine.await(() -> true, Machine.PATIENCE)).isTrue();
        }
    }

    @Test
    void closingIsNotCutShort() {
        Pair pair = new Pair();
        ComchConsumer consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .buffers(4, 64)
                .start(Machine.PATIENCE);
        ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
        Thread.currentThread().interrupt();
        List<AutoCloseable> parts = new ArrayList<>(List.of(producer, consumer, pair.client, pair.server, pair));
        assertThat(parts).allSatisfy(part -> {
            part.close();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });
        assertThat(List.of(producer.isClosed(), consumer.isClosed(), pair.client.isClosed(), pair.server.isClosed()))
                .containsOnly(true);
    }

    @Test
    void waitingForALoopEndsAndClosingDoesNot() throws Exception {
        try (Device dpu = Device.openDpu(Machine.DPU);
                Device host = Device.openHost(Machine.HOST);
                Representor representor = dpu.openRepresentor(Machine.HOST)) {
            String name = Machine.uniqueName();
            EventLoop dpuLoop = EventLoop.start("dpu");
            EventLoop hostLoop = EventLoop.start("host");
            MessageServerSocket server = MessageServerSocket.open(dpuLoop, dpu, representor, name);
            MessageSocket client = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
            MessageSocket accepted = server.accept(Machine.PATIENCE);
            ends("receive", () -> accepted.receive(Machine.PATIENCE));
            ends("accept", () -> server.accept(Machine.PATIENCE));
            ends("connect", () -> MessageSocket.connect(hostLoop, host, Machine.uniqueName(), Machine.PATIENCE));
            CountDownLatch release = Machine.hold(hostLoop);
            ends("call", () -> hostLoop.call(() -> 1));
            client.send(new byte[] {42}, Machine.PATIENCE);
            ends("flush", () -> client.flush(Machine.PATIENCE));
            release.countDown();
            while (accepted.connection().received() < 1) {
                Thread.onSpinWait();
            }
            assertThat(dpuLoop.call(() -> 1))
                    .as("after the handler, which runs after the count")
                    .isEqualTo(1);
            Thread.currentThread().interrupt();
            assertThat(accepted.receive(Machine.PATIENCE)).as("it is there").containsExactly(42);
            assertThat(List.of(client, server, hostLoop, dpuLoop)).allSatisfy(part -> {
                part.close();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
            assertThat(client.connection().isOpen()).isFalse();
            assertThat(server.server().isClosed()).isTrue();
        }
    }
}
