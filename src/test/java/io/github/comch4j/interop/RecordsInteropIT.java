package io.github.comch4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.io.RecordWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records between Java and C ({@code src/test/c/interop/records.c}), in two processes and both directions. */
@Timeout(120)
class RecordsInteropIT extends BothForms {
    private static final int SLOT = 512;
    private static final int COUNT = 20_000;
    private static Path program;

    private final Machine machine = new Machine();
    private int received;

    @AfterEach
    void close() {
        machine.close();
    }

    /** What both ends have agreed on. */
    private static int length(int number) {
        return (int) (Integer.toUnsignedLong(number * 31) % 401);
    }

    private static synchronized Path program() {
        if (program == null) {
            program = Sdk.install().compile("records", "src/main/c/records/records.c");
        }
        return program;
    }

    private static Process start(String side, String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = program().toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LD_LIBRARY_PATH", Sdk.install().libraries().toString());
        builder.environment().put("DOCA_EMU_SIDE", side);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(BufferedReader reader) {
        try {
            return reader.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertEnded(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private void take(MemorySegment memory, long offset, int length, int type) {
        int number = received++;
        assertThat(type).isEqualTo(number - 1500);
        assertThat(length).as("of record " + number).isEqualTo(length(number));
        for (int k = 0; k < length; k++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + k) != (byte) (number + k)) {
                throw new AssertionError("byte " + k + " of record " + number);
            }
        }
    }

    @Test
    void cWritesAndJavaReads() throws InterruptedException {
        SlotConsumer[] consumer = new SlotConsumer[1];
        boolean[] over = new boolean[1];
        RecordReader reader =
                new RecordReader((memory, offset, length, type, producer) -> take(memory, offset, length, type));
        ComchServer server = machine.server()
                .onConnected(connection -> consumer[0] = connection
                        .slotConsumer(machine.engine, SLOT)
                        .tasks(4)
                        .onMessage(reader)
                        .start())
                .onDisconnected(connection -> over[0] = true)
                .start();
        Process child = start("host", "send", machine.name, Integer.toString(COUNT));
        try {
            machine.until("the records and the end", () -> over[0] && received == COUNT);
            String output = line(child.inputReader());
            assertThat(output).isEqualTo("DONE records=" + COUNT + " messages=" + consumer[0].received());
            assertThat(consumer[0].received()).isLessThan(COUNT);
            assertEnded(child);
            assertThat(server.connections()).isEmpty();
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void javaWritesAndCReads() throws InterruptedException {
        Process child = start("dpu", "receive", machine.name, Integer.toString(COUNT));
        try {
            BufferedReader output = child.inputReader();
            assertThat(line(output)).isEqualTo("READY");
            int[] consumer = new int[1];
            ComchClient client = machine.client()
                    .onConsumer((connection, id) -> consumer[0] = id)
                    .connect(Machine.PATIENCE);
            machine.until("the consumer", () -> consumer[0] != 0);
            SlotProducer producer = client.connection()
                    .slotProducer(machine.engine, SLOT)
                    .tasks(4)
                    .start();
            RecordWriter writer = new RecordWriter(producer, consumer[0]);
            MemorySegment memory = writer.memory();
            int[] next = {0};
            machine.until("room for all", () -> {
                while (next[0] < COUNT) {
                    int number = next[0];
                    long at = writer.claim(length(number), number - 1500);
                    if (at < 0) {
                        writer.progress();
                        return false;
                    }
                    for (int k = 0; k < length(number); k++) {
                        memory.set(ValueLayout.JAVA_BYTE, at + k, (byte) (number + k));
                    }
                    writer.commit();
                    next[0]++;
                }
                return writer.flush() && producer.inFlight() == 0;
            });
            long messages = producer.sent();
            producer.close();
            client.close();
            assertThat(line(output)).isEqualTo("DONE records=" + COUNT + " messages=" + messages);
            assertEnded(child);
        } finally {
            child.destroyForcibly();
        }
    }
}
