package io.github.comch4j.reliability;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.comch.Broadcast;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.io.RecordWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The paths of a connection by itself: messages, producers and consumers, slots, records, byte channels. */
final class MatrixFastPaths {
    private static final int SMALL = 64;
    private static final int PLACES = 4;

    private MatrixFastPaths() {}

    static List<MatrixPath> all() {
        return List.of(
                new Messages(),
                new Buffers("buffers", SMALL, false),
                new Buffers("large-buffers", 256 << 10, false),
                new Buffers("lists", 3 * SMALL, true),
                new Broadcasts(),
                new Slots("slots", SMALL, 1),
                new Slots("rows", SMALL, 2),
                new Slots("large-slots", 256 << 10, 1),
                new Records(),
                new ByteChannel("byte-channel", SMALL),
                new ByteChannel("large-byte-channel", 256 << 10));
    }

    // ---- messages of the control path

    private static final class Messages implements MatrixPath {
        @Override
        public String name() {
            return "messages";
        }

        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(ComchConnection.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String name) {
            return MatrixWire.connect(scene, name, wire -> writer(wire));
        }

        Writer writer(MatrixWire wire) {
            return new Writer() {
                @Override
                public void write(int item) {
                    wire.send(item, SMALL);
                }

                @Override
                public void end() {
                    wire.awaitSent();
                    wire.send(END, SMALL);
                    wire.awaitAcknowledged();
                }

                @Override
                public void close() {
                    wire.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String name) {
            return MatrixWire.accept(scene, name, wire -> reader(wire));
        }

        Reader reader(MatrixWire wire) {
            return new Reader() {
                @Override
                public int read() {
                    wire.until("a message", () -> !wire.arrived.isEmpty());
                    int item = wire.arrived.remove();
                    if (item == END) {
                        wire.acknowledge();
                    }
                    return item;
                }

                @Override
                public void close() {
                    wire.close();
                }
            };
        }
    }

    // ---- producers and consumers

    /** Its reader counts what has come by the fast path, and says so at the end. */
    private abstract static class Arriving implements MatrixPath.Reader {
        final MatrixWire wire;
        final ArrayDeque<Integer> items = new ArrayDeque<>();

        Arriving(MatrixWire wire) {
            this.wire = wire;
        }

        /** Looks for more. */
        abstract void look();

        @Override
        public int read() {
            wire.until("an item", () -> {
                if (items.isEmpty()) {
                    look();
                }
                return !items.isEmpty();
            });
            int item = items.remove();
            if (item == MatrixPath.END) {
                wire.acknowledge();
            }
            return item;
        }

        @Override
        public void close() {
            wire.close();
        }
    }

    private static class Buffers implements MatrixPath {
        private final String name;
        final int size;
        private final boolean lists;

        Buffers(String name, int size, boolean lists) {
            this.name = name;
            this.size = size;
            this.lists = lists;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean exists() {
            return !lists || Feature.BUFFER_LISTS.isThere();
        }

        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public boolean tellsFailedReceives() {
            return true;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(ComchProducer.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            return MatrixWire.connect(scene, service, wire -> writer(scene, wire));
        }

        Writer writer(MatrixScene scene, MatrixWire wire) {
            MemoryMap memory = MemoryMap.allocate(scene.device, (long) PLACES * size, Access.PCI_READ_WRITE);
            ArrayDeque<Object> free = new ArrayDeque<>();
            ComchProducer producer = wire.connection
                    .producer(wire.engine)
                    .tasks(PLACES)
                    .buffers(3 * PLACES)
                    .onCompletion((self, buffer, status) -> {
                        count(wire, status);
                        free.add(buffer);
                    })
                    .onListCompletion((self, list, status) -> {
                        count(wire, status);
                        free.add(list);
                    })
                    .start();
            int consumer = wire.consumer();
            wire.until("the producer", () -> producer.state() == ContextState.RUNNING);
            for (long i = 0; i < PLACES; i++) {
                free.add(
                        lists
                                ? BufferList.of(
                                        producer.acquire(memory, i * size, SMALL),
                                        producer.acquire(memory, i * size + SMALL, SMALL),
                                        producer.acquire(memory, i * size + 2 * SMALL, SMALL))
                                : producer.acquire(memory, i * size, size));
            }
            return new Writer() {
                @Override
                public void write(int item) {
                    wire.until("a free buffer", () -> !free.isEmpty());
                    Object next = free.remove();
                    if (next instanceof BufferList list) {
                        byte[] all = MatrixItems.of(item, size);
                        for (int i = 0; i < 3; i++) {
                            MemorySegment.copy(
                                    MemorySegment.ofArray(all),
                                    (long) i * SMALL,
                                    list.get(i).data(),
                                    0,
                                    SMALL);
                        }
                        wire.until(
                                "room", () -> producer.trySend(list, consumer).accepted());
                    } else {
                        Buffer buffer = (Buffer) next;
                        MatrixItems.write(buffer.data(), item);
                        wire.until(
                                "room", () -> producer.trySend(buffer, consumer).accepted());
                    }
                }

                @Override
                public void end() {
                    wire.until("the sends' ends", () -> producer.inFlight() == 0);
                    wire.check();
                    write(END);
                    wire.awaitAcknowledged();
                }

                @Override
                public void close() {
                    wire.close();
                    memory.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) {
            return MatrixWire.accept(scene, service, wire -> reader(scene, wire));
        }

        Reader reader(MatrixScene scene, MatrixWire wire) {
            MemoryMap memory = MemoryMap.allocate(
                    scene.device, (long) PLACES * size, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
            Arriving arriving = new Arriving(wire) {
                @Override
                void look() {}

                @Override
                public void close() {
                    super.close();
                    memory.close();
                }
            };
            wire.connection
                    .consumer(wire.engine, memory)
                    .buffers(PLACES, size)
                    .onReceive((self, buffer, producer, immediate) ->
                            arriving.items.add(MatrixItems.number(buffer.data())))
                    .onReceiveFailed((self, buffer, status) -> {
                        if (self.state() == ContextState.RUNNING) {
                            self.tryPost(buffer);
                        }
                    })
                    .start();
            return arriving;
        }
    }

    private static void count(MatrixWire wire, DocaError status) {
        if (status != DocaError.SUCCESS) {
            wire.failures.add(status);
        }
    }

    private static final class Broadcasts extends Buffers {
        Broadcasts() {
            super("broadcast", SMALL, false);
        }

        @Override
        public List<Class<?>> types() {
            return List.of(Broadcast.class);
        }

        @Override
        Writer writer(MatrixScene scene, MatrixWire wire) {
            MemoryMap memory = MemoryMap.allocate(scene.device, (long) PLACES * size, Access.PCI_READ_WRITE);
            Broadcast.Pool pool = Broadcast.Pool.create(memory, PLACES, size);
            ComchProducer producer = wire.connection
                    .producer(wire.engine)
                    .tasks(PLACES)
                    .releaseSent()
                    .onCompletion((self, buffer, status) -> count(wire, status))
                    .start();
            int consumer = wire.consumer();
            wire.until("the producer", () -> producer.state() == ContextState.RUNNING);
            return new Writer() {
                @Override
                public void write(int item) {
                    wire.until("a place", () -> pool.available() > 0);
                    Broadcast next = pool.tryAcquire();
                    MatrixItems.write(next.segment(), item);
                    next.commit(size);
                    wire.until("room", () -> next.enqueue(producer, consumer).accepted());
                    next.release();
                    wire.engine.progress();
                    wire.check();
                }

                @Override
                public void end() {
                    wire.until("the sends' ends", () -> producer.inFlight() == 0);
                    wire.check();
                    write(END);
                    wire.awaitAcknowledged();
                }

                @Override
                public void close() {
                    wire.close();
                    memory.close();
                }
            };
        }
    }

    // ---- slots

    private static class Slots implements MatrixPath {
        private final String name;
        final int size;
        private final int row;

        Slots(String name, int size, int row) {
            this.name = name;
            this.size = size;
            this.row = row;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(SlotProducer.class);
        }

        SlotProducer producer(MatrixWire wire) {
            SlotProducer producer = wire.connection
                    .slotProducer(wire.engine, size + 64)
                    .tasks(PLACES)
                    .onSendFailed((self, offset, length, status) -> wire.failures.add(status))
                    .start();
            wire.until("the producer", () -> producer.state() == ContextState.RUNNING);
            return producer;
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            return MatrixWire.connect(scene, service, wire -> writer(scene, wire));
        }

        Writer writer(MatrixScene scene, MatrixWire wire) {
            SlotProducer producer = producer(wire);
            int consumer = wire.consumer();
            return new Writer() {
                private final List<Integer> waiting = new ArrayList<>();

                @Override
                public void write(int item) {
                    waiting.add(item);
                    if (waiting.size() == row) {
                        send();
                    }
                }

                private void send() {
                    while (!waiting.isEmpty()) {
                        long[] at = {-1};
                        int wanted = waiting.size();
                        wire.until("a slot", () -> (at[0] = producer.claimMany(wanted, size, consumer)) >= 0);
                        int claimed = producer.claimed();
                        for (int i = 0; i < claimed; i++) {
                            MatrixItems.write(
                                    producer.memory().asSlice(at[0] + i * producer.stride(), size),
                                    waiting.removeFirst());
                        }
                        producer.commit();
                        wire.until("the queue", producer::flush);
                        wire.check();
                    }
                }

                @Override
                public void end() {
                    send();
                    wire.until("the sends' ends", () -> producer.inFlight() == 0);
                    wire.check();
                    waiting.add(END);
                    send();
                    wire.awaitAcknowledged();
                }

                @Override
                public void close() {
                    wire.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) {
            return MatrixWire.accept(scene, service, wire -> reader(scene, wire));
        }

        Reader reader(MatrixScene scene, MatrixWire wire) {
            SlotConsumer consumer = wire.connection
                    .slotConsumer(wire.engine, size + 64)
                    .tasks(PLACES)
                    .start(MatrixScene.PATIENCE);
            return new Arriving(wire) {
                @Override
                void look() {
                    if (row == 1) {
                        consumer.poll(
                                (memory, offset, length, producer) ->
                                        items.add(MatrixItems.number(memory.asSlice(offset, length))),
                                PLACES);
                    } else {
                        consumer.pollRows(
                                (memory, offset, count, length, producer) -> {
                                    for (long i = 0; i < count; i++) {
                                        items.add(MatrixItems.number(
                                                memory.asSlice(offset + i * consumer.stride(), length)));
                                    }
                                },
                                PLACES);
                    }
                }
            };
        }
    }

    private static final class Records extends Slots {
        Records() {
            super("records", SMALL, 1);
        }

        @Override
        public boolean seesGaps() {
            return true;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(RecordWriter.class);
        }

        @Override
        Writer writer(MatrixScene scene, MatrixWire wire) {
            SlotProducer producer = producer(wire);
            RecordWriter writer = new RecordWriter(producer, wire.consumer());
            return new Writer() {
                @Override
                public void write(int item) {
                    wire.until(
                            "a place",
                            () -> writer.offer(MemorySegment.ofArray(MatrixItems.of(item, size / 4)), 1)
                                    .accepted());
                    wire.until("the queue", writer::flush);
                    wire.check();
                }

                @Override
                public void end() {
                    wire.until("the sends' ends", () -> producer.inFlight() == 0);
                    wire.check();
                    write(END);
                    wire.awaitAcknowledged();
                }

                @Override
                public void close() {
                    wire.close();
                }
            };
        }

        @Override
        Reader reader(MatrixScene scene, MatrixWire wire) {
            SlotConsumer consumer = wire.connection
                    .slotConsumer(wire.engine, size + 64)
                    .tasks(PLACES)
                    .start(MatrixScene.PATIENCE);
            return new Arriving(wire) {
                private final RecordReader records = new RecordReader((memory, offset, length, type, producer) ->
                        items.add(MatrixItems.number(memory.asSlice(offset, length))));

                @Override
                void look() {
                    consumer.poll(records, PLACES);
                }
            };
        }
    }

    // ---- byte channels

    private record ByteChannel(String name, int size) implements MatrixPath {
        @Override
        public List<Class<?>> types() {
            return List.of(ComchOutputChannel.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            return MatrixWire.connect(scene, service, this::writer);
        }

        Writer writer(MatrixWire wire) {
            ComchOutputChannel output =
                    ComchOutputChannel.open(wire.connection, wire.consumer(), wire.engine, PLACES, size);
            return new Writer() {
                @Override
                public void write(int item) throws IOException {
                    output.write(ByteBuffer.wrap(MatrixItems.of(item, size)));
                }

                @Override
                public void end() throws IOException {
                    output.close();
                }

                @Override
                public void close() throws IOException {
                    try {
                        output.close();
                    } finally {
                        wire.close();
                    }
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) {
            return MatrixWire.accept(scene, service, this::reader);
        }

        Reader reader(MatrixWire wire) {
            ComchInputChannel input = ComchInputChannel.open(wire.connection, wire.engine, PLACES, size);
            return new Reader() {
                @Override
                public int read() throws IOException {
                    return MatrixStreams.item(input, size);
                }

                @Override
                public void close() throws IOException {
                    try {
                        input.close();
                    } finally {
                        wire.close();
                    }
                }
            };
        }
    }
}
