package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ByteChannelTest {
    private static final int CHUNKS = 4;
    private static final int CHUNK = 1000;

    private Machine machine;
    private ComchConnection server;
    private ComchClient client;
    private int consumer;

    @BeforeEach
    void connect() {
        machine = new Machine();
        machine.server().onConnected(connection -> server = connection).start();
        client = machine.client().onConsumer((connection, id) -> consumer = id).connect(Machine.PATIENCE);
        machine.until("the server's end", () -> server != null);
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private ComchInputChannel input() {
        return input(CHUNKS);
    }

    private ComchInputChannel input(int chunks) {
        ComchInputChannel input = ComchInputChannel.open(server, machine.engine, chunks, CHUNK);
        machine.until("the consumer", () -> consumer == input.id());
        return input;
    }

    private ComchOutputChannel output() {
        return ComchOutputChannel.open(client.connection(), consumer, machine.engine, CHUNKS, CHUNK);
    }

    @Test
    void bytesArriveInOrderAcrossThreadsAndThenTheEnd() throws Exception {
        byte[] data = new byte[777_777];
        new Random(4).nextBytes(data);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (ComchInputChannel input = input()) {
            int id = consumer;
            ComchConnection connection = client.connection();
            Thread writer = new Thread(() -> {
                try (ProgressEngine own = ProgressEngine.create();
                        ComchOutputChannel output = ComchOutputChannel.open(connection, id, own, CHUNKS, CHUNK)) {
                    ByteBuffer bytes = ByteBuffer.wrap(data);
                    Random sizes = new Random(5);
                    while (bytes.hasRemaining()) {
                        int size = Math.min(bytes.remaining(), sizes.nextInt(3 * CHUNK));
                        assertThat(output.write(bytes.slice(bytes.position(), size)))
                                .isEqualTo(size);
                        bytes.position(bytes.position() + size);
                    }
                } catch (Exception | AssertionError e) {
                    failure.set(e);
                }
            });
            writer.start();
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            ByteBuffer part = ByteBuffer.allocate(777);
            while (input.read(part) >= 0) {
                received.write(part.array(), 0, part.position());
                part.clear();
            }
            assertThat(input.read(part)).as("it remains at its end").isEqualTo(-1);
            while (writer.isAlive()) {
                machine.engine.progress(); // the end of its producer
            }
            assertThat(failure.get()).isNull();
            assertThat(received.toByteArray()).isEqualTo(data);
        }
    }

    @Test
    void aWriterWaitsForItsReaderAndGivesUpInTime() throws Exception {
        machine.engine.setTimeout(Duration.ofMillis(50));
        try (ComchInputChannel input = input()) {
            ComchOutputChannel output = output();
            ByteBuffer tooMuch = ByteBuffer.allocate(10 * CHUNK);
            assertThatThrownBy(() -> output.write(tooMuch)).satisfies(caused(DocaError.TIME_OUT));
            assertThat(tooMuch.position()).as("what the peer's chunks hold").isEqualTo(CHUNKS * CHUNK);
            assertThat(tooMuch.limit()).isEqualTo(10 * CHUNK);
            machine.engine.setTimeout(Machine.PATIENCE);
            machine.until("all to arrive", () -> input.available() == CHUNKS * CHUNK);
            ByteBuffer target = ByteBuffer.allocate(CHUNK / 2);
            assertThat(input.read(target)).isEqualTo(CHUNK / 2);
            assertThat(input.available()).isEqualTo(CHUNKS * CHUNK - CHUNK / 2);
            assertThat(input.read(target)).as("no room").isZero();
            assertThat(input.read(target.clear())).isEqualTo(CHUNK / 2);
            output.close();
            output.close();
            assertThat(output.isOpen()).isFalse();
            assertThatThrownBy(() -> output.write(target)).isInstanceOf(ClosedChannelException.class);
            assertThat(Channels.newInputStream(input).readAllBytes()).hasSize((CHUNKS - 1) * CHUNK);
        }
    }

    @Test
    void aReaderWithoutWriterGivesUpInTime() throws Exception {
        machine.engine.setTimeout(Duration.ofMillis(20));
        ComchInputChannel input = input();
        assertThatThrownBy(() -> input.read(ByteBuffer.allocate(1))).satisfies(caused(DocaError.TIME_OUT));
        machine.engine.setTimeout(Machine.PATIENCE);
        input.close();
        input.close();
        assertThatThrownBy(() -> input.read(ByteBuffer.allocate(1))).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void theEndOfTheConnectionEndsBothSides() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        output.write(ByteBuffer.wrap(new byte[10]));
        machine.until("the bytes", () -> input.available() == 10);
        client.close();
        machine.until("the end", () -> !server.isOpen());
        ByteBuffer target = ByteBuffer.allocate(10);
        assertThat(input.read(target)).as("what has arrived can be read").isEqualTo(10);
        assertThatThrownBy(() -> input.read(target.clear())).satisfies(ByteChannelTest::ended);
        assertThatThrownBy(() -> output.write(target)).as("ended by this side").satisfies(ByteChannelTest::ended);
        assertThatThrownBy(() -> output.write(target)).satisfies(ByteChannelTest::ended);
        output.close();
        input.close();
    }

    @Test
    @Needs(Feature.DISCONNECT)
    void aReaderWhoseSideEndsTheConnectionIsTold() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        output.write(ByteBuffer.wrap(new byte[10]));
        machine.until("the bytes", () -> input.available() == 10);
        server.disconnect();
        assertThat(input.available()).as("gone with the consumer").isZero();
        assertThatThrownBy(() -> input.read(ByteBuffer.allocate(10))).satisfies(ByteChannelTest::ended);
        machine.until("the end", () -> !client.isConnected());
        assertThatThrownBy(() -> output.write(ByteBuffer.allocate(1)))
                .as("ended by the peer")
                .satisfies(ByteChannelTest::ended);
        output.close();
        input.close();
    }

    @Test
    void aReaderThatLeavesAtTheEndOfTheStreamDoesNotFailItsWriter() throws Exception {
        String name = Machine.uniqueName();
        AtomicReference<ComchConnection> connected = new AtomicReference<>();
        AtomicReference<ComchInputChannel> input = new AtomicReference<>();
        ByteBuffer target = ByteBuffer.allocate(3 * CHUNK);
        try (ProgressEngine reading = ProgressEngine.create()) {
            ComchServer reader = ComchServer.builder(reading, machine.dpu, machine.representor, name)
                    .onConnected(connected::set)
                    .start();
            ComchClient writer = ComchClient.builder(machine.engine, machine.host, name)
                    .onConsumer((connection, id) -> consumer = id)
                    .onMessage((connection, message) -> readAndLeave(input.get(), target, reader))
                    .start();
            Machine.until(
                    "the connection", () -> connected.get() != null && writer.isConnected(), machine.engine, reading);
            input.set(ComchInputChannel.open(connected.get(), reading, CHUNKS, CHUNK));
            consumer = 0;
            Machine.until("the consumer", () -> consumer == input.get().id(), machine.engine, reading);
            ComchOutputChannel output =
                    ComchOutputChannel.open(writer.connection(), consumer, machine.engine, CHUNKS, CHUNK);
            assertThat(connected.get().trySend(new byte[1]).accepted()).isTrue();
            output.write(ByteBuffer.allocate(3 * CHUNK));
            output.close(); // the message comes before all completions are reported
            machine.until("the reader has left", () -> !writer.isConnected());
            writer.close();
        }
        assertThat(target.position()).isEqualTo(3 * CHUNK);
    }

    private static void readAndLeave(ComchInputChannel input, ByteBuffer target, ComchServer reader) {
        try (reader;
                input) {
            while (target.hasRemaining()) {
                input.read(target);
            }
            assertThat(input.read(ByteBuffer.allocate(1))).as("the end").isEqualTo(-1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anInterruptEndsTheWaitAndNotTheChannel() throws Exception {
        try (ComchInputChannel input = input()) {
            ComchOutputChannel output = output();
            ByteBuffer tooMuch = ByteBuffer.allocate(10 * CHUNK);
            Thread.currentThread().interrupt();
            int accepted;
            try {
                assertThatThrownBy(() -> input.read(ByteBuffer.allocate(1)))
                        .isExactlyInstanceOf(InterruptedIOException.class);
                assertThatThrownBy(() -> output.write(tooMuch))
                        .isExactlyInstanceOf(InterruptedIOException.class)
                        .extracting(e -> ((InterruptedIOException) e).bytesTransferred)
                        .isEqualTo(tooMuch.position());
                accepted = tooMuch.position();
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(input.isOpen()).isTrue();
            assertThat(output.isOpen()).isTrue();
            machine.until("what was accepted", () -> input.available() == accepted);
            output.close();
        }
    }

    @Test
    void aChunkThatFailsIsToldOnce() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel toldByClose = output();
        ComchOutputChannel toldByWrite = output();
        try {
            new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
            toldByClose.write(ByteBuffer.allocate(1));
            machine.settle();
            new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
            toldByWrite.write(ByteBuffer.allocate(1));
            machine.settle();
        } finally {
            EmulatedFaults.clear();
        }
        assertThatThrownBy(() -> toldByWrite.write(ByteBuffer.allocate(1))).satisfies(caused(DocaError.IO_FAILED));
        toldByWrite.close();
        assertThatThrownBy(toldByClose::close).satisfies(caused(DocaError.IO_FAILED));
        toldByClose.close();
        input.close();
    }

    private void writeLongs(ComchOutputChannel output, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            output.write(ByteBuffer.allocate(Long.BYTES).putLong(i).flip());
        }
    }

    /** What can be read before the end, or an exception, which is added to {@code failures}. */
    private List<Long> readLongs(ComchInputChannel input, List<Throwable> failures) {
        List<Long> read = new ArrayList<>();
        ByteBuffer next = ByteBuffer.allocate(Long.BYTES);
        try {
            while (input.read(next) >= 0) {
                if (!next.hasRemaining()) {
                    read.add(next.flip().getLong());
                    next.clear();
                }
            }
        } catch (IOException e) {
            failures.add(e);
        }
        return read;
    }

    /** Ten longs with that fault; what the writer was told, last. */
    private List<Long> tenLongsWith(EmulatedFaults faults, List<Throwable> failures) throws Exception {
        machine.engine.setTimeout(Duration.ofSeconds(5));
        List<Long> read = new ArrayList<>();
        try (ComchInputChannel input = input(12)) { // of which nothing is read before it is closed
            ComchOutputChannel output = output();
            faults.apply();
            failures.add(catchThrowable(() -> writeLongs(output, 10)));
            failures.add(catchThrowable(output::close));
            machine.settle();
            EmulatedFaults.clear();
            read.addAll(readLongs(input, failures));
        } finally {
            EmulatedFaults.clear();
        }
        failures.removeIf(Objects::isNull);
        machine.engine.setTimeout(Machine.PATIENCE);
        assertAnotherStreamArrives();
        return read;
    }

    private void assertAnotherStreamArrives() throws IOException {
        try (ComchInputChannel input = input(12)) { // of which nothing is read before it is closed
            ComchOutputChannel output = output();
            writeLongs(output, 3);
            output.close();
            assertThat(readLongs(input, new ArrayList<>())).containsExactly(0L, 1L, 2L);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 9, 10, 11})
    void aMessageThatIsLostIsAGapAtTheReaderAndToldToTheWriter(int lost) throws Exception {
        List<Throwable> failures = new ArrayList<>();
        List<Long> read = tenLongsWith(new EmulatedFaults().loseReceive(lost, DocaError.IO_FAILED), failures);
        if (lost == 11) {
            assertThat(read).as("the end is said again").containsExactlyElementsOf(first(10));
            assertThat(failures).isEmpty();
            return;
        }
        assertThat(read).containsExactlyElementsOf(first(lost - 1));
        assertThat(failures)
                .hasSize(2)
                .allSatisfy(e -> caused(DocaError.IO_FAILED).accept(e));
        assertThat(failures.get(0)).hasMessageContaining("missing after the first " + 8 * (lost - 1) + " bytes");
        assertThat(failures.get(1)).hasMessageContaining("8 bytes are missing, after the first " + 8 * (lost - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 10, 11})
    void aReceiveThatFailsLosesNothingAndIsPostedAgain(int failed) throws Exception {
        List<Throwable> failures = new ArrayList<>();
        List<Long> read = tenLongsWith(new EmulatedFaults().failReceive(failed, DocaError.IO_FAILED), failures);
        assertThat(read).containsExactlyElementsOf(first(10));
        assertThat(failures).isEmpty();
    }

    /** More chunks than the reader has buffers, of which many fail: each failure would cost one for good. */
    @Test
    void receivesThatFailCostNoBuffer() throws Exception {
        try (ComchInputChannel input = input(2)) {
            ComchOutputChannel output = output();
            for (int i = 0; i < 6; i++) {
                new EmulatedFaults().failReceive(1, DocaError.IO_FAILED).apply();
                output.write(ByteBuffer.allocate(CHUNK));
                machine.until("the chunk", () -> input.available() == CHUNK);
                assertThat(input.read(ByteBuffer.allocate(CHUNK))).isEqualTo(CHUNK);
            }
            output.close();
            assertThat(input.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        } finally {
            EmulatedFaults.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8, 10, 11})
    void aChunkThatFailsIsAGapAtTheReaderAndToldToTheWriter(int failed) throws Exception {
        List<Throwable> failures = new ArrayList<>();
        List<Long> read = tenLongsWith(new EmulatedFaults().failSend(failed, DocaError.IO_FAILED), failures);
        assertThat(failures)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(e -> caused(DocaError.IO_FAILED).accept(e));
        assertThat(read).containsExactlyElementsOf(first(failed - 1));
        assertThat(failures.getLast()).hasMessageContaining("after the first " + 8 * (failed - 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionThatBreaksIsNoEnd(boolean atSender) throws Exception {
        EmulatedFaults faults = atSender
                ? new EmulatedFaults().breakSend(4, DocaError.IO_FAILED)
                : new EmulatedFaults().breakReceive(4, DocaError.IO_FAILED);
        List<Throwable> failures = new ArrayList<>();
        try (ComchInputChannel input = input(12)) {
            ComchOutputChannel output = output();
            faults.apply();
            failures.add(catchThrowable(() -> writeLongs(output, 10)));
            failures.add(catchThrowable(output::close));
            failures.removeIf(Objects::isNull);
            assertThat(failures)
                    .as("the writer's")
                    .isNotEmpty()
                    .allSatisfy(e -> assertThat(e).isExactlyInstanceOf(IOException.class));
            failures.clear();
            List<Long> read = readLongs(input, failures);
            assertThat(read).isEqualTo(first(read.size())).hasSizeLessThanOrEqualTo(10);
            assertThat(failures).as("the reader's").hasSize(1);
        } finally {
            EmulatedFaults.clear();
        }
    }

    private static List<Long> first(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void aReaderThatLeavesEarlyIsToldToItsWriter() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        writeLongs(output, 3);
        machine.until("all to arrive", () -> input.available() == 24);
        assertThat(input.read(ByteBuffer.allocate(8))).isEqualTo(8);
        input.close();
        machine.settle();
        assertThatThrownBy(output::close)
                .satisfies(caused(DocaError.IO_FAILED))
                .hasMessageContaining("closed when 8 bytes had been read");
    }

    @Test
    void aReaderThatKnowsWhereItsStreamEndsMayLeaveThere() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        writeLongs(output, 3);
        machine.until("all to arrive", () -> input.available() == 24);
        assertThat(input.read(ByteBuffer.allocate(24))).isEqualTo(24);
        input.close();
        output.close();
    }

    @Test
    void whatIsNoChunkIsNoData() throws Exception {
        try (ComchInputChannel input = input();
                MemoryMap memory = MemoryMap.allocate(machine.host, 64, Access.PCI_READ_ONLY);
                ComchProducer producer =
                        client.connection().producer(machine.engine).start()) {
            Buffer buffer = producer.acquire(memory, 0, 64).setData(0, 64);
            machine.until("room", () -> producer.trySend(buffer, consumer).accepted());
            assertThatThrownBy(() -> input.read(ByteBuffer.allocate(1)))
                    .satisfies(caused(DocaError.IO_FAILED))
                    .hasMessageContaining("not a chunk of a ComchOutputChannel");
            machine.until("its end", () -> producer.inFlight() == 0);
        }
    }

    /** Callers of channels expect this. */
    private static Consumer<Throwable> caused(DocaError error) {
        return thrown -> assertThat(thrown)
                .isExactlyInstanceOf(IOException.class)
                .cause()
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(error));
    }

    private static void ended(Throwable thrown) {
        assertThat(thrown).isExactlyInstanceOf(IOException.class).cause().isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void inACallbackTheReaderMayCloseAndTheWriterWhichWouldWaitMayNot() throws Exception {
        List<Throwable> refusals = new ArrayList<>();
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        output.write(ByteBuffer.wrap(new byte[10]));
        machine.client()
                .onConnected(connection -> {
                    refusals.add(catchThrowable(output::close));
                    refusals.add(catchThrowable(input::close));
                })
                .start();
        machine.until("the callback", () -> refusals.size() == 2);
        assertThat(refusals.get(0)).isInstanceOf(IllegalStateException.class).hasMessageContaining("inside a callback");
        assertThat(refusals.get(1)).isNull();
        assertThat(output.isOpen()).isTrue();
        assertThat(input.isOpen()).isFalse();
    }

    @Test
    void afterTheirEngineChannelsCanBeClosed() throws Exception {
        ComchInputChannel input = input();
        ComchOutputChannel output = output();
        ProgressEngine own = ProgressEngine.create();
        ComchOutputChannel apart = ComchOutputChannel.open(client.connection(), consumer, own, CHUNKS, CHUNK);
        own.close();
        assertThatThrownBy(apart::close)
                .as("the peer has not been told of the end")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        apart.close();
        machine.engine.close();
        for (int call = 0; call < 2; call++) {
            input.close();
            output.close();
        }
        assertThat(List.of(input.isOpen(), output.isOpen(), apart.isOpen())).containsOnly(false);
    }
}
