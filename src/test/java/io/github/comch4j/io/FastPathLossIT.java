package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one lone fault does to what travels on the fast path between two processes: ten messages to this one. */
@Timeout(240)
class FastPathLossIT {
    private static final int CHUNKS = 16;

    private final Machine machine = new Machine();
    private final List<Long> received = new ArrayList<>();
    private ComchConnection connection;
    private DocaError failure = DocaError.SUCCESS; // that the reader got

    @BeforeEach
    void serve() {
        machine.server().onConnected(connected -> connection = connected).start();
    }

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        machine.close();
    }

    private static List<Long> first(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    /** Of the receiving side. */
    private static void apply(String fault, int nth) {
        switch (fault) {
            case "fail_recv" ->
                new EmulatedFaults().failReceive(nth, DocaError.IO_FAILED).apply();
            case "lose_recv" ->
                new EmulatedFaults().loseReceive(nth, DocaError.IO_FAILED).apply();
            default -> assertThat(fault).isIn("none", "fail_send");
        }
    }

    private Child writer(String what, int size, String fault, int nth, String directWrites) {
        String faults = fault.equals("fail_send") ? "fail_send=" + nth + ":IO_FAILED" : "";
        return Child.start(
                LossPeer.class,
                List.of(),
                Map.of("DOCA_EMU_SIDE", "host", "DOCA_EMU_FAULTS", faults, "DOCA_EMU_DIRECT_WRITE", directWrites),
                what,
                machine.name,
                Integer.toString(size));
    }

    private void readBytes(ComchInputChannel input, int size) {
        ByteBuffer chunk = ByteBuffer.allocate(size);
        try {
            while (input.read(chunk) >= 0) {
                if (!chunk.hasRemaining()) {
                    received.add(chunk.getLong(0));
                    chunk.clear();
                }
            }
        } catch (IOException e) {
            failure = ((DocaException) e.getCause()).error();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "none, 0, 8, 1",
        "fail_recv, 3, 8, 1",
        "fail_recv, 3, 200000, 0",
        "fail_recv, 10, 200000, 1",
        "lose_recv, 4, 8, 1",
        "lose_recv, 4, 200000, 0",
        "lose_recv, 10, 200000, 1",
        "fail_send, 1, 8, 1",
        "fail_send, 8, 200000, 0",
        "fail_send, 10, 200000, 1"
    })
    void aByteChannelHasNoGap(String fault, int nth, int size, String directWrites) throws IOException {
        try (Child child = writer("bytes", size, fault, nth, directWrites)) {
            machine.until("the connection", () -> connection != null);
            try (ComchInputChannel input = ComchInputChannel.open(connection, machine.engine, CHUNKS, size)) {
                apply(fault, nth);
                readBytes(input, size);
                boolean whole = fault.equals("none") || fault.equals("fail_recv");
                assertThat(received).isEqualTo(first(received.size()));
                int most = whole ? LossPeer.COUNT : nth - 1;
                if (fault.equals("fail_send")) { // which counts attempts for which there was no room, too
                    assertThat(received).hasSizeLessThanOrEqualTo(most);
                } else {
                    assertThat(received).hasSize(most);
                }
                assertThat(failure).isEqualTo(whole ? DocaError.SUCCESS : DocaError.IO_FAILED);
                assertThat(line(child)).isEqualTo(whole ? "OK" : "IO_FAILED");
            }
        }
    }

    /** While this side goes on. */
    private String line(Child child) {
        List<String> lines = new ArrayList<>();
        Thread reader = new Thread(() -> lines.add(child.line()));
        reader.start();
        machine.until("a line", () -> !reader.isAlive());
        return lines.getFirst();
    }

    private void poll(SlotConsumer consumer, SlotHandler handler) {
        try {
            machine.until("ten messages", () -> {
                consumer.poll(handler, 4);
                return received.size() == LossPeer.COUNT;
            });
        } catch (DocaException e) {
            failure = e.error();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "slots, none, 0, 8, 1", "slots, fail_recv, 3, 200000, 0", "slots, fail_recv, 3, 8, 1",
        "slots, lose_recv, 3, 8, 1", "slots, lose_recv, 3, 200000, 0", "records, none, 0, 200000, 1",
        "records, fail_recv, 3, 8, 1", "records, fail_recv, 10, 200000, 0", "records, lose_recv, 3, 8, 1",
        "records, lose_recv, 9, 200000, 0", "records, fail_send, 3, 8, 1", "records, fail_send, 9, 200000, 0"
    })
    void slotsAndRecordsEndInThePlaceOfWhatIsMissing(
            String what, String fault, int nth, int size, String directWrites) {
        boolean records = what.equals("records");
        SlotHandler note = (memory, offset, length, producer) ->
                received.add(memory.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.nativeOrder()), offset));
        RecordReader reader = new RecordReader(
                (memory, offset, length, type, producer) -> note.onMessage(memory, offset, length, producer));
        try (Child child = writer(what, size, fault, nth, directWrites)) {
            machine.until("the connection", () -> connection != null);
            SlotConsumer consumer = connection
                    .slotConsumer(machine.engine, size + 16)
                    .tasks(CHUNKS)
                    .start(Machine.PATIENCE);
            apply(fault, nth);
            poll(consumer, records ? reader : note);
            boolean whole = fault.equals("none") || (records && fault.equals("fail_recv"));
            assertThat(received).isEqualTo(first(whole ? LossPeer.COUNT : nth - 1));
            assertThat(failure).isEqualTo(whole ? DocaError.SUCCESS : DocaError.IO_FAILED);
            if (records) {
                assertThat(line(child)).isEqualTo(fault.equals("fail_send") ? "IO_FAILED" : "OK");
            } else { // the consumer has ended, which who still sends is told
                assertThat(line(child)).isIn("OK", "CONNECTION_RESET", "INVALID_VALUE");
            }
        }
    }
}
