package io.github.comch4j.comch;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * The other process of {@link SlotTwoProcessIT}: {@code serve NAME}, {@code flood NAME}, {@code pack NAME},
 * {@code scribble NAME SEED}.
 */
public final class SlotPeer {
    static final int SLOT = 8192;
    /** So many messages are good before the peer begins to scribble. */
    static final int GOOD = 2000;

    private SlotPeer() {}

    public static void main(String[] arguments) {
        Machine.useEmulation();
        switch (arguments[0]) {
            case "serve" -> serve(arguments[1]);
            case "flood", "pack" -> send(arguments[1], arguments[0].equals("pack"), number -> {});
            case "scribble" -> {
                Scribbler scribbler = new Scribbler(Long.parseLong(arguments[2]));
                send(arguments[1], false, scribbler::scribble);
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** What message or record number {@code number} looks like: its number, then so many bytes that follow from it. */
    static int size(long number) {
        long mixed = (number * 0x9e3779b97f4a7c15L) >>> 40;
        return Long.BYTES + (int) (mixed % 8 == 0 ? mixed % (SLOT - 100) : mixed % 100);
    }

    static void fill(MemorySegment memory, long at, long number) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, number);
        memory.asSlice(at + Long.BYTES, size(number) - Long.BYTES).fill((byte) number);
    }

    /** What is wrong with it; null if nothing is. */
    static String wrong(MemorySegment memory, long at, int length, long number) {
        if (length != size(number)) {
            return length + " bytes, not " + size(number);
        }
        if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != number) {
            return "number " + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        for (int i = Long.BYTES; i < length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at + i) != (byte) number) {
                return "torn at " + i;
            }
        }
        return null;
    }

    /** On the DPU: answers what comes in slots with number and immediate data, or an error; ends with its client. */
    private static void serve(String name) {
        boolean[] over = new boolean[1];
        SlotConsumer[] consumer = new SlotConsumer[1];
        try (var engine = ProgressEngine.create();
                var dpu = Device.openDpu(Machine.DPU);
                var representor = dpu.openRepresentor(Machine.HOST);
                var server = ComchServer.builder(engine, dpu, representor, name)
                        .onConnected(connection -> consumer[0] = connection
                                .slotConsumer(engine, SLOT)
                                .tasks(16)
                                .onMessage((memory, offset, length, id) -> {
                                    long number = memory.get(ValueLayout.JAVA_LONG, offset);
                                    String wrong = wrong(memory, offset, length, number);
                                    int immediate = consumer[0].immediate().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                                    connection.enqueue((wrong == null ? number + " " + immediate : wrong)
                                            .getBytes(StandardCharsets.US_ASCII));
                                })
                                .start())
                        .onDisconnected(connection -> over[0] = true)
                        .start()) {
            System.out.println("READY " + server.state());
            Machine.until("the client's end", () -> over[0], engine);
        }
        System.out.println("DONE");
    }

    /** On the host: connects and sends numbered messages or records until it is killed, or the server is gone. */
    private static void send(String name, boolean packs, LongConsumer now) {
        int[] consumer = new int[1];
        try (var engine = ProgressEngine.create();
                var host = Device.openHost(Machine.HOST);
                var client = ComchClient.builder(engine, host, name)
                        .onConsumer((connection, id) -> consumer[0] = id)
                        .connect(Machine.PATIENCE);
                var producer = client.connection()
                        .slotProducer(engine, SLOT)
                        .tasks(8)
                        .onSendFailed((self, offset, length, status) -> {})
                        .start()) {
            Machine.until("the consumer", () -> consumer[0] != 0, engine);
            System.out.println("READY");
            RecordWriter writer = packs ? new RecordWriter(producer, consumer[0]) : null;
            MemorySegment memory = producer.memory();
            long number = 0;
            while (client.isConnected()) {
                int size = size(number);
                long at = packs ? writer.claim(size, (int) number) : producer.claim(size, consumer[0]);
                if (at >= 0) {
                    fill(memory, at, number++);
                    if (packs) {
                        writer.commit();
                    } else {
                        producer.commit();
                    }
                }
                now.accept(number);
                if (at < 0 || number % 16 == 0) {
                    if (packs) {
                        writer.progress();
                    } else {
                        engine.progress(64);
                    }
                }
            }
        } catch (ConnectionClosedException e) {
            System.out.println("CLOSED");
        }
    }

    /** Writes whatever it likes into everything that it shares with its peer, and that is in use. */
    private static final class Scribbler {
        private static final int LINE = 64;
        private static final int FIRST_LINES = 100; // of each mapping: its control words

        private final Random random;
        private final List<List<MemorySegment>> lines = new ArrayList<>(); // of each mapping

        Scribbler(long seed) {
            random = new Random(seed);
        }

        @SuppressWarnings("restricted")
        private void find() {
            try {
                for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                    if (line.contains("doca-emu-connection")) {
                        String[] range = line.substring(0, line.indexOf(' ')).split("-");
                        long from = Long.parseUnsignedLong(range[0], 16);
                        lines.add(inUse(MemorySegment.ofAddress(from)
                                .reinterpret(Long.parseUnsignedLong(range[1], 16) - from)));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            lines.removeIf(List::isEmpty);
        }

        private static List<MemorySegment> inUse(MemorySegment mapping) {
            MemorySegment unused = MemorySegment.ofArray(new byte[LINE]);
            return LongStream.range(0, mapping.byteSize() / LINE)
                    .mapToObj(i -> mapping.asSlice(i * LINE, LINE))
                    .filter(line -> line.mismatch(unused) >= 0)
                    .toList();
        }

        void scribble(long messages) {
            if (messages < GOOD || random.nextInt(20) != 0) {
                return;
            }
            if (lines.isEmpty()) {
                find();
            }
            List<MemorySegment> mapping = lines.get(random.nextInt(lines.size()));
            int most = random.nextBoolean() ? Math.min(FIRST_LINES, mapping.size()) : mapping.size();
            MemorySegment line = mapping.get(random.nextInt(most));
            long at = random.nextInt(LINE / Long.BYTES) * (long) Long.BYTES;
            long old = line.get(ValueLayout.JAVA_LONG, at);
            line.set(
                    ValueLayout.JAVA_LONG,
                    at,
                    switch (random.nextInt(6)) {
                        case 0 -> random.nextLong();
                        case 1 -> old + random.nextInt(64) - 32;
                        case 2 -> old ^ 1L << random.nextInt(64);
                        case 3 -> -1;
                        case 4 -> (long) random.nextInt() << 32 | (old & 0xffff_ffffL);
                        default -> 0;
                    });
        }
    }
}
