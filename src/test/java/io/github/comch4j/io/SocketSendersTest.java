package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.testing.EmulatedBlueField;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads send on one socket. */
@Timeout(60)
@EmulatedBlueField(failOnLeaks = false) // full sockets are left to the end of their loops
class SocketSendersTest extends SocketScene {
    private CountDownLatch held = new CountDownLatch(0); // of the server's loop

    @AfterEach
    void letGo() {
        held.countDown();
    }

    private static byte[] numbered(int number) {
        return ByteBuffer.allocate(8).putInt(number).array();
    }

    private static int numberOf(byte[] message) {
        return ByteBuffer.wrap(message).getInt();
    }

    private static void await(String what, java.util.function.BooleanSupplier done) throws InterruptedException {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waiting for " + what).isNegative();
            Thread.sleep(1);
        }
    }

    private static boolean endsSoon(CompletableFuture<?> send) throws Exception {
        try {
            send.get(500, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Sends until the buffer is full. Returns how many that were. */
    private static int fill(MessageSocket socket, int from) {
        int count = 0;
        try {
            while (true) {
                socket.send(numbered(from + count), Duration.ofMillis(100));
                count++;
            }
        } catch (DocaException e) {
            assertThat(e.error()).isEqualTo(DocaError.TIME_OUT);
        }
        return count;
    }

    @Test
    void whoWaitsForRoomDoesNotAskForIt() throws Exception {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        held = Machine.hold(dpuLoop);
        int senders = 1000; // more than the device and the tasks take
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            int number = i;
            threads.add(Thread.startVirtualThread(() -> socket.send(numbered(number), Machine.PATIENCE)));
        }
        await("a refusal", () -> socket.connection().refused() > 0);
        for (int i = 0; i < 2000; i++) { // so that the loop goes round and round
            hostLoop.call(() -> null);
            Thread.yield();
        }
        assertThat(socket.connection().refused())
                .as("refused while nobody reads")
                .isLessThan(10);
        held.countDown();
        boolean[] arrived = new boolean[senders];
        for (int i = 0; i < senders; i++) {
            arrived[numberOf(accepted.receive(Machine.PATIENCE))] = true;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(arrived).doesNotContain(false);
        assertThat(socket.connection().refused()).as("refused altogether").isLessThan(senders);
    }

    @Test
    void whoWaitsLongestIsServedFirst() throws Exception {
        MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .sendTasks(1)
                .maxMessageSize(64)
                .sendBuffer(1) // which is eight of the longest
                .connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        held = Machine.hold(dpuLoop);
        int begin = 1;
        while (endsSoon(socket.sendAsync(numbered(begin - 1)))) { // until the device is full, and one waits
            begin++;
        }
        begin += fill(socket, begin);
        int waiting = 40;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            int number = begin + i;
            Thread thread = new Thread(() -> socket.send(numbered(number), Machine.PATIENCE));
            thread.start();
            await("the thread to wait", () -> Machine.waits(thread));
            threads.add(thread);
        }
        held.countDown();
        List<Integer> numbers = new ArrayList<>();
        while (numbers.size() < begin + waiting) {
            numbers.add(numberOf(accepted.receive(Machine.PATIENCE)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(numbers.subList(begin, begin + waiting))
                .containsExactlyElementsOf(
                        IntStream.range(begin, begin + waiting).boxed().toList());
    }

    @Test
    void futuresAreCompletedInOrderWhenThereIsRoom() throws Exception {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        int count = 5000;
        held = Machine.hold(hostLoop); // until each future has its dependent
        List<Integer> completed = new ArrayList<>(); // in the loop, then here
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            futures.add(socket.sendAsync(numbered(number)).thenRun(() -> completed.add(number)));
        }
        held.countDown();
        for (int i = 0; i < count; i++) {
            assertThat(numberOf(accepted.receive(Machine.PATIENCE))).isEqualTo(i);
        }
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).join();
        assertThat(completed)
                .containsExactlyElementsOf(IntStream.range(0, count).boxed().toList());
    }

    @Test
    void whatIsCancelledInTimeIsNotSent() throws Exception {
        MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .sendTasks(1)
                .sendBuffer(1)
                .connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        held = Machine.hold(dpuLoop);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 2000; i++) { // more than the buffer has room for
            futures.add(socket.sendAsync(numbered(i)));
        }
        await("a refusal", () -> socket.connection().refused() > 0);
        assertThat(futures.getLast().cancel(false)).isTrue();
        assertThatThrownBy(() -> socket.send(numbered(2000), Duration.ofMillis(20)))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
        Thread interrupted =
                new Thread(() -> assertThat(catchThrowable(() -> socket.send(numbered(2001), Machine.PATIENCE)))
                        .isInstanceOf(WaitInterruptedException.class)
                        .hasMessageContaining("interrupted"));
        interrupted.start();
        await("the thread to wait", () -> Machine.waits(interrupted));
        interrupted.interrupt();
        interrupted.join();
        held.countDown();
        CompletableFuture<?> last = socket.sendAsync(numbered(2002));
        List<Integer> numbers = new ArrayList<>();
        while (numbers.isEmpty() || numbers.getLast() != 2002) {
            numbers.add(numberOf(accepted.receive(Machine.PATIENCE)));
        }
        last.join();
        assertThat(numbers).hasSize(2000).doesNotContain(1999, 2000, 2001);
    }

    @Test
    void futuresAreNotAcceptedBeyondTheLimit() throws Exception {
        MessageSocket socket = MessageSocket.builder(hostLoop, host, name)
                .sendTasks(1)
                .sendLimit(800)
                .connect(Machine.PATIENCE);
        MessageSocket accepted = server.accept(Machine.PATIENCE);
        held = Machine.hold(dpuLoop);
        int sent = 0;
        CompletableFuture<?> refused;
        do {
            refused = socket.sendAsync(numbered(sent++));
            hostLoop.call(() -> null);
        } while (!refused.isCompletedExceptionally());
        assertThat(catchThrowable(refused::join).getCause())
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.AGAIN))
                .hasMessageContaining("800 bytes are waiting already");
        for (int i = 0; i < 801; i++) { // more often than there is room for
            CompletableFuture<?> more = socket.sendAsync(numbered(-1));
            hostLoop.call(() -> null);
            assertThat(more).isCompletedExceptionally();
        }
        held.countDown();
        for (int i = 0; i < sent - 1; i++) {
            assertThat(numberOf(accepted.receive(Machine.PATIENCE))).isEqualTo(i);
        }
        hostLoop.call(() -> null);
        socket.sendAsync(numbered(sent)).join();
        assertThat(numberOf(accepted.receive(Machine.PATIENCE))).isEqualTo(sent);
    }

    @Test
    void whatWaitsFailsWhenTheConnectionOrTheLoopEnds() throws Exception {
        MessageSocket socket =
                MessageSocket.builder(hostLoop, host, name).sendTasks(1).connect(Machine.PATIENCE);
        server.accept(Machine.PATIENCE);
        held = Machine.hold(dpuLoop);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            futures.add(socket.sendAsync(numbered(i)));
        }
        await("a refusal", () -> socket.connection().refused() > 0);
        Thread closer = new Thread(socket::close);
        closer.start();
        assertThat(catchThrowable(() -> futures.getLast().get(20, java.util.concurrent.TimeUnit.SECONDS))
                        .getCause())
                .isInstanceOf(ConnectionClosedException.class);
        held.countDown();
        closer.join();
        assertThat(futures).allMatch(CompletableFuture::isDone);
        hostLoop.close();
        assertThat(catchThrowable(() -> socket.sendAsync(new byte[1]).join()).getCause())
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void impossibleMessagesAreRefusedAtOnce() {
        MessageSocket socket = MessageSocket.connect(hostLoop, host, name, Machine.PATIENCE);
        int most = socket.maxMessageSize();
        assertThat(most).isEqualTo(socket.connection().endpoint().maxMessageSize() - 8);
        for (byte[] message : List.of(new byte[0], new byte[most + 1])) {
            assertThatThrownBy(() -> socket.sendAsync(message)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> socket.send(message, Machine.PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        socket.close();
    }
}
