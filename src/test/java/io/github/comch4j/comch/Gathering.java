package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Payloads that come out of lists of buffers, of sizes that take each way through the emulated device. The main class
 * is the sender as another process: {@code gather NAME} sends all of them to the first consumer, {@code limit NAME}
 * says what comes of lists of one and of two buffers.
 */
public final class Gathering {
    /** As the machines of the tests are told. */
    static final int LIMIT = 8;

    static final int LARGEST = (5 << 20) + 3;
    private static final int[] SIZES = {
        0, 1, 2, 89, 96, 97, 1000, 4096, 4097, 16384, 16385, 200_000, (1 << 20) + 1, LARGEST
    };
    private static final int[] COUNTS = {1, 2, 3, LIMIT};
    static final int PAYLOADS = SIZES.length * COUNTS.length;
    // around each data segment, so that no two are neighbours
    private static final int HEADROOM = 5;
    private static final int ROOM = 3;
    static final long MEMORY = LARGEST + LIMIT * (HEADROOM + ROOM);

    private Gathering() {}

    static byte[] payload(int number) {
        byte[] bytes = new byte[SIZES[number / COUNTS.length]];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    /** Every other payload comes with its number. */
    private static boolean isNumbered(int number) {
        return number % 2 == 1;
    }

    static void check(int number, MemorySegment data, MemorySegment immediate) {
        assertThat(data.mismatch(MemorySegment.ofArray(payload(number))))
                .as("payload %d of %d bytes", number, data.byteSize())
                .isEqualTo(-1);
        assertThat(immediate.toArray(ValueLayout.JAVA_INT_UNALIGNED))
                .isEqualTo(isNumbered(number) ? new int[] {number} : new int[0]);
    }

    /** Uneven parts of a payload, some of them empty, the first one last in memory, from two maps in turn. */
    private static void fill(BufferList list, int number, ComchProducer producer, MemoryMap... maps) {
        byte[] bytes = payload(number);
        int count = COUNTS[number % COUNTS.length];
        long end = MEMORY;
        int done = 0;
        for (int place = 0; place < count; place++) {
            int share = (bytes.length - done) / (count - place);
            int part =
                    place == count - 1 ? bytes.length - done : place % 4 == 2 ? 0 : place % 3 == 1 ? share / 2 : share;
            end -= HEADROOM + part + ROOM;
            Buffer buffer = producer.acquire(maps[place % 2], end, HEADROOM + part + ROOM)
                    .setData(HEADROOM, part);
            buffer.data().copyFrom(MemorySegment.ofArray(bytes).asSlice(done, part));
            list.add(buffer);
            done += part;
        }
    }

    /**
     * Sends all payloads, one after the other and by each call in turn, and checks that the buffers are the program's
     * again.
     */
    static void sendAll(ComchConnection connection, ProgressEngine engine, int consumer) {
        try (MemoryMap one = MemoryMap.allocate(connection.endpoint().device(), MEMORY, Access.PCI_READ_ONLY);
                MemoryMap other = MemoryMap.allocate(connection.endpoint().device(), MEMORY, Access.PCI_READ_ONLY);
                ComchProducer producer = connection.producer(engine).tasks(2).start()) {
            BufferList list = BufferList.of();
            for (int number = 0; number < PAYLOADS; number++) {
                fill(list.clear(), number, producer, one, other);
                int sent = number + 1;
                MemorySegment immediate = isNumbered(number) ? MemorySegment.ofArray(new int[] {number}) : null;
                boolean now = number % 4 < 2;
                Machine.until(
                        "room",
                        () -> send(producer, list, consumer, immediate, now).accepted(),
                        engine);
                checkInFlight(list, true);
                Machine.until("the completion", () -> producer.sent() == sent, engine);
                checkInFlight(list, false);
                for (int place = 0; place < list.size(); place++) {
                    list.get(place).close(); // DOCA refuses it for those behind the first one of a chain
                }
            }
        }
    }

    /** Without AssertJ, which the other process does not have. */
    private static void checkInFlight(BufferList list, boolean expected) {
        if (list.isInFlight() != expected
                || list.get(0).isInFlight() != expected
                || list.get(list.size() - 1).isInFlight() != expected) {
            throw new AssertionError(list + " in flight: " + list.isInFlight());
        }
    }

    private static SubmitResult send(
            ComchProducer producer, BufferList list, int consumer, MemorySegment immediate, boolean now) {
        if (now) {
            return immediate == null ? producer.trySend(list, consumer) : producer.trySend(list, consumer, immediate);
        }
        return immediate == null ? producer.enqueue(list, consumer) : producer.enqueue(list, consumer, immediate);
    }

    public static void main(String[] arguments) {
        Machine.useEmulation();
        try (var engine = ProgressEngine.create();
                var host = Device.openHost(Machine.HOST);
                var client = ComchClient.builder(engine, host, arguments[1]).connect(Machine.PATIENCE)) {
            Machine.until("the consumer", () -> client.connection().remoteConsumers().length == 1, engine);
            int consumer = client.connection().remoteConsumers()[0];
            if (arguments[0].equals("gather")) {
                sendAll(client.connection(), engine, consumer);
            } else {
                sendTwo(client.connection(), engine, consumer);
            }
            System.out.println("DONE");
        }
    }

    private static void sendTwo(ComchConnection connection, ProgressEngine engine, int consumer) {
        System.out.println(Capabilities.of(connection.endpoint().device())
                .producer()
                .orElseThrow()
                .maxBufferListLength());
        try (MemoryMap memory = MemoryMap.allocate(connection.endpoint().device(), 64, Access.PCI_READ_ONLY);
                ComchProducer producer = connection.producer(engine).start()) {
            BufferList list = BufferList.of(producer.acquire(memory, 0, 8), producer.acquire(memory, 8, 8));
            try {
                producer.trySend(list, consumer);
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(list.isInFlight() + " " + list.get(0).isInFlight());
            BufferList one = BufferList.of(list.get(1));
            Machine.until("room", () -> producer.enqueue(one, consumer).accepted(), engine);
            Machine.until("the completion", () -> producer.sent() == 1, engine);
        }
    }
}
