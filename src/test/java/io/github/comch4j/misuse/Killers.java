package io.github.comch4j.misuse;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What would end a VM if the library let it: {@code CASE ARGUMENT…}. Prints a line and ends with 0 when it did not. */
public final class Killers {
    private static final int LARGE = 64 << 20; // more than malloc keeps: where it was, there is nothing afterwards

    private Killers() {}

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        switch (arguments[0]) {
            case "arena" -> arena();
            case "export" -> export(Path.of(arguments[1]));
            case "import" -> importedMemory(Path.of(arguments[1]));
            case "descriptors" -> descriptors();
            case "kept" -> kept();
            case "slots" -> keptOfSlots();
            case "exit" -> exitInACallback();
            case "race" -> race();
            case "inventory" -> inventoryRace();
            case "memory" -> outOfMemory();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("alive");
        System.exit(0);
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static Throwable thrown(Runnable action) {
        try {
            action.run();
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    /** A pair with a consumer, in one process. */
    private static final class Pair implements AutoCloseable {
        final Machine machine = new Machine();
        final ComchServer server = machine.server().start();
        final ComchClient client = machine.client().connect(Machine.PATIENCE);

        Pair() {
            machine.until("the connection", () -> !server.connections().isEmpty());
        }

        ComchConsumer consumer(MemoryMap memory, int buffers) {
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, memory)
                    .buffers(buffers, 64)
                    .start(Machine.PATIENCE);
            machine.until("its announcement", () -> client.connection().remoteConsumers().length > 0);
            return consumer;
        }

        @Override
        public void close() {
            machine.close();
        }
    }

    /** Memory is unmapped under a live map, with nothing posted. */
    private static void arena() {
        try (Pair pair = new Pair();
                MemoryMap sink = MemoryMap.allocate(pair.machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
                BufferInventory inventory = BufferInventory.create(4)) {
            Arena arena = Arena.ofShared();
            MemoryMap memory = MemoryMap.wrap(pair.machine.host, arena.allocate(LARGE, 4096), Access.PCI_READ_WRITE);
            ComchConsumer consumer = pair.consumer(sink, 2);
            ComchProducer producer =
                    pair.client.connection().producer(pair.machine.engine).start();
            Buffer buffer = producer.acquire(memory, LARGE - 100, 100);
            Buffer other = inventory.acquire(memory, 0, 100);
            MemorySegment segment = buffer.segment();
            arena.close();
            List<Runnable> calls = List.of(
                    () -> producer.trySend(buffer, consumer.id()),
                    () -> producer.enqueue(buffer, consumer.id()),
                    () -> producer.trySend(other, consumer.id()),
                    () -> segment.get(ValueLayout.JAVA_BYTE, 0),
                    () -> other.segment().fill((byte) 1),
                    () -> other.data().get(ValueLayout.JAVA_BYTE, 0),
                    memory::segment,
                    () -> inventory.acquire(memory, 0, 10),
                    () -> producer.acquire(memory, 0, 10),
                    () -> buffer.setData(1, 1).data().fill((byte) 1));
            for (int i = 0; i < calls.size(); i++) {
                Throwable refusal = thrown(calls.get(i));
                // a segment that can be had throws when it is used
                check(refusal instanceof IllegalStateException, "call " + i + ": " + refusal);
            }
            check(!buffer.isInFlight(), "nothing is in flight");
            buffer.close();
            memory.close();
            pair.client.connection().send(new byte[1]);
        }
    }

    /** Tells of memory of its own, and waits to be killed. */
    private static void export(Path file) throws IOException, InterruptedException {
        try (Device host = Device.openHost(Machine.HOST);
                MemoryMap memory = MemoryMap.allocate(host, LARGE, Access.PCI_READ_WRITE)) {
            Files.write(file, memory.exportPci(host));
            System.out.println("exported");
            Thread.sleep(60_000);
        }
    }

    /** Memory of another process is no memory of this one. */
    private static void importedMemory(Path file) throws IOException {
        byte[] descriptor = Files.readAllBytes(file);
        try (Pair pair = new Pair();
                MemoryMap sink = MemoryMap.allocate(pair.machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
                BufferInventory inventory = BufferInventory.create(4)) {
            MemoryMap imported = MemoryMap.importFrom(pair.machine.dpu, descriptor);
            ComchConsumer consumer = pair.consumer(sink, 2);
            ComchProducer producer =
                    pair.client.connection().producer(pair.machine.engine).start();
            Buffer buffer = inventory.acquire(imported, 4096, 50);
            check(thrown(buffer::segment) instanceof UnsupportedOperationException, "its bytes are not here");
            for (int i = 0; i < 2; i++) {
                check(
                        thrown(() -> producer.trySend(buffer, consumer.id())) instanceof DocaException e
                                && e.error() == DocaError.NOT_SUPPORTED,
                        "sent");
            }
            check(!buffer.isInFlight(), "in flight");
            check(thrown(() -> consumer.tryPost(buffer)) instanceof IllegalArgumentException, "posted");
            check(
                    thrown(() -> pair.server
                                    .connections()
                                    .iterator()
                                    .next()
                                    .consumer(pair.machine.engine, imported)
                                    .start())
                            instanceof DocaException,
                    "received into");
            imported.close();
        }
    }

    /** Descriptors that were damaged on the way. */
    private static void descriptors() {
        Random random = new Random(1);
        int good = 0;
        int refused = 0;
        try (Device host = Device.openHost(Machine.HOST);
                Device dpu = Device.openDpu(Machine.DPU);
                BufferInventory inventory = BufferInventory.create(4);
                MemoryMap memory = MemoryMap.allocate(host, LARGE, Access.PCI_READ_WRITE)) {
            byte[] descriptor = memory.exportPci(host);
            List<byte[]> damaged = new ArrayList<>();
            for (int i = 0; i < descriptor.length; i++) {
                for (int bit = 0; bit < 8; bit++) {
                    byte[] copy = descriptor.clone();
                    copy[i] ^= (byte) (1 << bit);
                    damaged.add(copy);
                }
                damaged.add(java.util.Arrays.copyOf(descriptor, i));
                byte[] noise = descriptor.clone();
                random.nextBytes(noise);
                damaged.add(noise);
            }
            for (byte[] candidate : damaged) {
                try (MemoryMap imported = MemoryMap.importFrom(dpu, candidate);
                        Buffer buffer = inventory.acquire(imported, 0, 1)) {
                    check(thrown(buffer::segment) instanceof UnsupportedOperationException, "its bytes are not here");
                    good++;
                } catch (DocaException | IllegalStateException | IllegalArgumentException e) {
                    refused++;
                }
            }
        }
        check(refused > good, good + " of " + (good + refused) + " damaged descriptors are good");
    }

    /** Segments of messages and of immediate data outlive their handlers and their connection. */
    private static void kept() {
        boolean strict = Boolean.getBoolean(io.github.comch4j.core.Doca.STRICT_PROPERTY);
        List<MemorySegment> kept = new ArrayList<>();
        List<java.nio.ByteBuffer> views = new ArrayList<>();
        Machine machine = new Machine();
        ComchServer server = machine.server()
                .onMessage((connection, message) -> {
                    kept.add(message);
                    views.add(message.asByteBuffer());
                })
                .start();
        ComchClient client = machine.client().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        MemoryMap sink = MemoryMap.allocate(machine.dpu, 1 << 12, Access.PCI_READ_WRITE);
        MemoryMap source = MemoryMap.allocate(machine.host, 1 << 12, Access.PCI_READ_ONLY);
        ComchConsumer consumer = server.connections()
                .iterator()
                .next()
                .consumer(machine.engine, sink)
                .buffers(2, 64)
                .onReceive((self, buffer, from, immediate) -> kept.add(immediate))
                .start(Machine.PATIENCE);
        ComchProducer producer = client.connection().producer(machine.engine).start();
        client.connection().send(new byte[100]);
        Buffer buffer = producer.acquire(source, 0, 8);
        machine.until(
                "a send",
                () -> producer.trySend(buffer, consumer.id(), MemorySegment.ofArray(new byte[] {1, 2, 3}))
                        .accepted());
        machine.until("both", () -> kept.size() == 2);
        for (MemorySegment segment : kept) {
            Throwable refusal = thrown(() -> segment.fill((byte) 9));
            check(strict ? refusal instanceof IllegalStateException : refusal == null, "after the handler: " + refusal);
        }
        machine.close();
        for (MemorySegment segment : kept) {
            check(thrown(() -> segment.fill((byte) 9)) instanceof IllegalStateException, "after the end");
        }
        check(
                thrown(() -> views.getFirst().put(0, (byte) 1)) instanceof IllegalStateException,
                "a view of it after the end");
    }

    /** Immediate data of slots outlive their handlers, whether the message had to wait for the poll or not. */
    private static void keptOfSlots() {
        boolean strict = Boolean.getBoolean(io.github.comch4j.core.Doca.STRICT_PROPERTY);
        List<MemorySegment> kept = new ArrayList<>();
        try (Pair pair = new Pair();
                ProgressEngine receiving = ProgressEngine.create()) {
            SlotConsumer consumer = pair.server
                    .connections()
                    .iterator()
                    .next()
                    .slotConsumer(receiving, 64)
                    .tasks(4)
                    .start(Machine.PATIENCE);
            pair.machine.until(
                    "its announcement", () -> pair.client.connection().remoteConsumers().length > 0);
            SlotProducer producer = pair.client
                    .connection()
                    .slotProducer(pair.machine.engine, 64)
                    .tasks(4)
                    .start();
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 3; i++) {
                    check(producer.claim(8, consumer.id()) >= 0, "a slot");
                    producer.commit(8, MemorySegment.ofArray(new byte[] {1, 2, 3}));
                }
                producer.flush();
                int all = 6 * (round + 1);
                if (round == 1) {
                    Machine.until("all three", () -> consumer.received() == 6, receiving);
                }
                Machine.until(
                        "the handlers",
                        () -> {
                            consumer.poll(
                                    (memory, offset, length, from) -> {
                                        kept.add(consumer.immediate());
                                        kept.add(consumer.immediate());
                                        check(kept.getLast().get(ValueLayout.JAVA_BYTE, 2) == 3, "the data");
                                    },
                                    1);
                            return kept.size() == all;
                        },
                        pair.machine.engine);
                for (MemorySegment segment : kept) {
                    Throwable refusal = thrown(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
                    check(
                            strict ? refusal instanceof IllegalStateException : refusal == null,
                            "after the handler: " + refusal);
                }
            }
        }
        for (MemorySegment segment : kept) {
            check(
                    thrown(() -> segment.get(ValueLayout.JAVA_BYTE, 0)) instanceof IllegalStateException,
                    "after the end");
        }
    }

    private static void exitInACallback() {
        Machine machine = new Machine();
        machine.server()
                .onMessage((connection, message) -> {
                    System.out.println("alive");
                    System.exit(0);
                })
                .start();
        ComchClient client = machine.client().connect(Machine.PATIENCE);
        client.connection().send(new byte[1]);
        machine.until("the end", () -> false);
    }

    /** Other threads try everything while the owner is at work. */
    private static void race() throws InterruptedException {
        AtomicInteger refusals = new AtomicInteger();
        AtomicInteger received = new AtomicInteger();
        List<Throwable> others = java.util.Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean over = new AtomicBoolean();
        try (Pair pair = new Pair();
                MemoryMap sink = MemoryMap.allocate(pair.machine.dpu, 1 << 16, Access.PCI_READ_WRITE);
                MemoryMap source = MemoryMap.allocate(pair.machine.host, 1 << 16, Access.PCI_READ_WRITE)) {
            ComchConsumer consumer = pair.server
                    .connections()
                    .iterator()
                    .next()
                    .consumer(pair.machine.engine, sink)
                    .buffers(8, 64)
                    .onReceive((self, buffer, from, immediate) -> received.incrementAndGet())
                    .start(Machine.PATIENCE);
            pair.machine.until(
                    "its announcement", () -> pair.client.connection().remoteConsumers().length > 0);
            ComchProducer producer =
                    pair.client.connection().producer(pair.machine.engine).start();
            Buffer mine = producer.acquire(source, 0, 64);
            Buffer spare = producer.acquire(source, 64, 64);
            Buffer free = consumer.acquire(4096, 64);
            List<Runnable> calls = List.of(
                    pair.machine.engine::progress,
                    () -> pair.client.connection().trySend(new byte[10]),
                    () -> producer.trySend(spare, consumer.id()),
                    () -> producer.enqueue(spare, consumer.id()),
                    producer::flush,
                    () -> consumer.tryPost(free),
                    pair.client.connection()::counters,
                    pair.client::close,
                    pair.server::connections,
                    producer::close,
                    consumer::close,
                    sink::close,
                    pair.machine.host::close,
                    pair.machine.engine::takeOver,
                    pair.machine.engine::close,
                    pair.machine.engine::inFlight);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    for (int round = 0; !over.get(); round++) {
                        Throwable refusal = thrown(calls.get(round % calls.size()));
                        if (refusal instanceof WrongThreadException) {
                            refusals.incrementAndGet();
                        } else {
                            others.add(
                                    refusal == null
                                            ? new AssertionError("call " + round % calls.size() + " was let in")
                                            : refusal);
                            return;
                        }
                        Thread.yield();
                    }
                }));
            }
            for (int sent = 0; sent < 5000 && others.isEmpty(); ) {
                sent += producer.trySend(mine, consumer.id()).accepted() ? 1 : 0;
                pair.client.connection().trySend(new byte[10]);
                pair.machine.engine.progress(16);
            }
            pair.machine.until("all", () -> (received.get() == 5000 && refusals.get() > 100) || !others.isEmpty());
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        check(others.isEmpty(), others.toString());
        check(refusals.get() > 100, refusals + " calls were refused");
    }

    /** Several threads take and give buffers back while the memory is closed under them. */
    private static void inventoryRace() throws InterruptedException {
        try (Device host = Device.openHost(Machine.HOST)) {
            for (int round = 0; round < 100; round++) {
                List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
                AtomicInteger taken = new AtomicInteger();
                MemoryMap memory = MemoryMap.allocate(host, 1 << 16);
                BufferInventory inventory = BufferInventory.create(64);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    threads.add(Thread.startVirtualThread(() -> {
                        try {
                            while (true) {
                                try (Buffer buffer = inventory.acquire(memory, 0, 64)) {
                                    buffer.segment().fill((byte) 1);
                                    taken.incrementAndGet();
                                }
                            }
                        } catch (IllegalStateException e) {
                            // closed
                        } catch (Throwable e) {
                            wrong.add(e);
                        }
                    }));
                }
                while (taken.get() < 50 && wrong.isEmpty()) {
                    Thread.onSpinWait();
                }
                Throwable refusal = thrown(round % 2 == 0 ? memory::close : inventory::close);
                for (int i = 0; refusal != null && i < 100; i++) {
                    refusal =
                            thrown(round % 2 == 0 ? memory::close : inventory::close); // a buffer was taken in between
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                check(wrong.isEmpty(), wrong.toString());
                check(refusal == null, String.valueOf(refusal));
                inventory.close();
                memory.close();
            }
        }
    }

    /** The heap runs out in a handler, again and again. */
    @SuppressWarnings("ModifiedButNotUsed")
    private static void outOfMemory() {
        int[] failures = new int[1];
        try (Machine machine = new Machine()) {
            machine.server()
                    .onMessage((connection, message) -> {
                        List<long[]> all = new ArrayList<>();
                        while (true) {
                            all.add(new long[1 << 20]);
                        }
                    })
                    .start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            for (int i = 0; i < 3; i++) {
                client.connection().send(new byte[1]);
                int before = failures[0];
                while (failures[0] == before) {
                    Throwable failure = thrown(machine.engine::progress);
                    check(failure == null || failure instanceof OutOfMemoryError, String.valueOf(failure));
                    failures[0] += failure == null ? 0 : 1;
                }
            }
        }
        check(failures[0] == 3, failures[0] + " failures");
    }
}
