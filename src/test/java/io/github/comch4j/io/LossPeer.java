package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The writing process of {@link FastPathLossIT}: {@code bytes NAME SIZE}, {@code slots NAME SIZE}, {@code records NAME
 * SIZE}. Says how the writing has ended.
 */
public final class LossPeer {
    static final int COUNT = 10;

    private LossPeer() {}

    public static void main(String[] arguments) {
        Machine.useEmulation();
        int size = Integer.parseInt(arguments[2]);
        int[] consumer = new int[1];
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST);
                ComchClient client = ComchClient.builder(engine, host, arguments[1])
                        .onConsumer((connection, id) -> consumer[0] = id)
                        .connect(Machine.PATIENCE)) {
            Machine.until("the consumer", () -> consumer[0] != 0, engine);
            String end = arguments[0].equals("bytes")
                    ? bytes(client.connection(), engine, consumer[0], size)
                    : slots(client.connection(), engine, consumer[0], size, arguments[0].equals("records"));
            System.out.println(end);
            Machine.until("the reader's end", () -> !client.isConnected(), engine);
        }
    }

    private static String bytes(ComchConnection connection, ProgressEngine engine, int consumer, int size) {
        try (ComchOutputChannel output = ComchOutputChannel.open(connection, consumer, engine, 4, size)) {
            for (int i = 0; i < COUNT; i++) {
                output.write(ByteBuffer.allocate(size).putLong(i).rewind());
            }
        } catch (IOException e) {
            return e.getCause() instanceof DocaException cause ? cause.error().name() : e.toString();
        }
        return "OK";
    }

    private static String slots(
            ComchConnection connection, ProgressEngine engine, int consumer, int size, boolean records) {
        DocaError[] failure = {DocaError.SUCCESS};
        SlotProducer producer = connection
                .slotProducer(engine, size + 16)
                .onSendFailed((self, offset, length, status) -> failure[0] = status)
                .start();
        RecordWriter writer = new RecordWriter(producer, consumer);
        for (int i = 0; i < COUNT; i++) {
            MemorySegment message = MemorySegment.ofArray(new byte[size]);
            message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
            Machine.until(
                    "room",
                    () -> (records ? writer.offer(message, 0) : producer.offer(message, consumer)).accepted(),
                    engine);
            var _ = writer.flush();
        }
        Machine.until("all to be sent", () -> producer.flush() && producer.inFlight() == 0, engine);
        return failure[0] == DocaError.SUCCESS ? "OK" : failure[0].name();
    }
}
