package io.github.comch4j.reliability;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How payloads leave one end of a connection under fire: in buffers, in slots, or as records, many in a slot. Payloads
 * in buffers and slots have their number as immediate data, rows of records have none, so that the peer can tell them
 * apart, whatever it receives with.
 */
abstract sealed class Outgoing {
    /** The ways. */
    enum Kind {
        BUFFERS,
        SLOTS,
        RECORDS
    }

    /** What is sent, and who is told. */
    interface Content {
        /** The size of the next payload, bytes. */
        int size();

        void write(MemorySegment payload, long number);

        /**
         * So many more payloads have been sent, with all before them, as this end knows. A small one may be sent before
         * a large one ahead of it; if this end dies, what lies behind that is lost.
         */
        void completed(long count);
    }

    /** Around a record of a payload's size: its header, and the padding. */
    static final int RECORD_ROOM = 16;

    final Content content;

    private Outgoing(Content content) {
        this.content = content;
    }

    /** Opens one; {@code room} is the size of the largest payload, {@code count} that of tasks. */
    static Outgoing open(
            Kind kind,
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int count,
            int room,
            Random random,
            Content content) {
        return switch (kind) {
            case BUFFERS -> new Buffers(connection, engine, device, count, room, content);
            case SLOTS -> new Slots(connection, engine, count, room, random, content);
            case RECORDS -> new Records(connection, engine, count, room, random, content);
        };
    }

    /** Which of the ways it is, in words. */
    abstract String way();

    /** How many payloads to try at a time. */
    int burst() {
        return 4;
    }

    /** Sends the payload of this number, the next one; false without room. */
    abstract boolean send(long number, int consumer);

    /** After a few sends. */
    void work() {}

    /** Tells the content of completions. */
    void countCompletions() {}

    /** Sends what waits; whether everything has been sent. */
    abstract boolean isIdle();

    /** What there is to close, in any order. */
    abstract List<Runnable> parts();

    private static final class Buffers extends Outgoing {
        private final MemoryMap memory;
        private final ComchProducer producer;
        private final Buffer[] buffers;
        private final MemorySegment immediate = Arena.ofAuto().allocate(8, 8);
        private final IdentityHashMap<Buffer, Long> numbers = new IdentityHashMap<>(); // of the payloads in flight
        private final Set<Long> ahead = new HashSet<>(); // sent before one ahead of them
        private long next; // the first that was not sent
        private boolean isReady;

        Buffers(
                ComchConnection connection,
                ProgressEngine engine,
                Device device,
                int count,
                int room,
                Content content) {
            super(content);
            memory = MemoryMap.allocate(device, (long) count * room, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
            try {
                producer = connection
                        .producer(engine)
                        .tasks(count)
                        .onCompletion((self, buffer, status) -> {
                            if (status == DocaError.SUCCESS) {
                                sent(buffer);
                            }
                        })
                        .start();
            } catch (RuntimeException e) {
                memory.close();
                throw e;
            }
            buffers = new Buffer[count];
            for (int i = 0; i < count; i++) {
                buffers[i] = producer.acquire(memory, (long) i * room, room);
            }
        }

        private void sent(Buffer buffer) {
            ahead.add(numbers.get(buffer));
            long before = next;
            while (ahead.remove(next)) {
                next++;
            }
            content.completed(next - before);
        }

        @Override
        boolean send(long number, int consumer) {
            Buffer buffer = buffers[(int) (number % buffers.length)];
            if (!isReady) {
                if (producer.isClosed() || buffer.isInFlight()) {
                    return false;
                }
                buffer.setData(0, content.size());
                content.write(buffer.data(), number);
                immediate.set(ValueLayout.JAVA_LONG, 0, number);
                numbers.put(buffer, number);
                isReady = true;
            }
            isReady = !producer.trySend(buffer, consumer, immediate).accepted();
            return !isReady;
        }

        @Override
        boolean isIdle() {
            return producer.inFlight() == 0;
        }

        @Override
        List<Runnable> parts() {
            return List.of(memory::close, producer::close);
        }

        @Override
        String way() {
            return "in buffers";
        }

        @Override
        public String toString() {
            return way() + ", " + producer.inFlight() + " in flight";
        }
    }

    /** With a slot producer. */
    private abstract static sealed class InSlots extends Outgoing {
        final SlotProducer producer;
        final Random random;
        boolean isRefused; // the consumer is not there any more

        InSlots(
                ComchConnection connection,
                ProgressEngine engine,
                int count,
                int slotSize,
                Random random,
                Content content) {
            super(content);
            this.random = random;
            producer = connection
                    .slotProducer(engine, slotSize)
                    .tasks(count)
                    .onSendFailed((self, offset, length, status) -> failed(offset))
                    .start();
        }

        /** The message that began there in the memory has not been sent. */
        void failed(long offset) {
            isRefused = true;
        }

        @Override
        List<Runnable> parts() {
            return List.of(producer::close);
        }

        @Override
        public String toString() {
            return way() + ", " + producer.inFlight() + " in flight, " + producer.failed() + " failed";
        }
    }

    private static final class Slots extends InSlots {
        private final MemorySegment immediate = Arena.ofAuto().allocate(8, 8);
        private long counted;

        Slots(ComchConnection connection, ProgressEngine engine, int count, int room, Random random, Content content) {
            super(connection, engine, count, room, random, content);
        }

        @Override
        String way() {
            return "in slots";
        }

        @Override
        boolean send(long number, int consumer) {
            if (isRefused || producer.isClosed()) {
                return false;
            }
            long at = producer.claim(producer.slotSize(), consumer);
            if (at < 0) {
                return false;
            }
            if (random.nextInt(16) == 0) { // changes its mind
                producer.abort();
                return false;
            }
            int size = content.size();
            content.write(producer.memory().asSlice(at, size), number);
            immediate.set(ValueLayout.JAVA_LONG, 0, number);
            producer.commit(size, immediate);
            return true;
        }

        @Override
        void work() {
            if (random.nextInt(4) == 0) { // else with the engine's progress
                producer.flush();
            }
        }

        @Override
        void countCompletions() {
            if (producer.inFlight() == 0) { // a producer tells how many it has sent, not which
                long sent = producer.sent();
                content.completed(sent - counted);
                counted = sent;
            }
        }

        @Override
        boolean isIdle() {
            return producer.flush() && producer.inFlight() == 0;
        }
    }

    /**
     * A producer tells how many messages it has sent, not which: so their records count when nothing is in flight.
     */
    private static final class Records extends InSlots {
        private static final int HEADER = 8; // of a record

        private @Nullable RecordWriter writer; // once the consumer is known
        private int size; // of a record that found no room yet; 0: none
        private int open; // records in the open message
        private long openAt; // where it begins in the memory
        private long closed; // messages
        /** Of each message that is in flight or was sent, by where it begins: its records. */
        private final Map<Long, Integer> underway = new HashMap<>();

        private long messagesSent; // those that are not underway any more
        private long recordsSent; // in them
        private long told;

        Records(
                ComchConnection connection,
                ProgressEngine engine,
                int count,
                int room,
                Random random,
                Content content) {
            super(connection, engine, count, room, random, content);
        }

        @Override
        String way() {
            return "as records";
        }

        @Override
        int burst() {
            return 8;
        }

        @Override
        boolean send(long number, int consumer) {
            if (isRefused || producer.isClosed()) {
                return false;
            }
            if (writer == null) {
                writer = new RecordWriter(producer, consumer);
            }
            if (size == 0) {
                size = content.size();
            }
            long at = writer.claim(size, (int) number);
            noteClosed();
            if (at < 0) {
                return false;
            }
            if (open == 0) {
                openAt = at - HEADER;
                noteSent(openAt);
            }
            if (random.nextInt(16) == 0) { // changes its mind
                writer.abort();
                return false;
            }
            content.write(writer.memory().asSlice(at, size), number);
            writer.commit(size);
            size = 0;
            open++;
            return true;
        }

        /** A message that has gone to the producer has all the records so far. */
        private void noteClosed() {
            long now = producer.inFlight() + producer.sent() + producer.failed();
            if (now > closed) {
                closed = now;
                underway.put(openAt, open);
                open = 0;
            }
        }

        /** The message that begins there, if one is underway, has been sent. */
        private void noteSent(long offset) {
            Integer records = underway.remove(offset);
            if (records != null) {
                messagesSent++;
                recordsSent += records;
            }
        }

        @Override
        void failed(long offset) {
            super.failed(offset);
            noteClosed();
            underway.remove(offset);
        }

        @Override
        void work() {
            if (writer != null && !producer.isClosed()) {
                switch (random.nextInt(8)) {
                    case 0 -> writer.flush();
                    case 1 -> writer.progress(); // of an engine that hundreds of others may share
                    default -> {}
                }
                noteClosed();
            }
        }

        @Override
        void countCompletions() {
            noteClosed();
            if (messagesSent + underway.size() == producer.sent()) {
                List.copyOf(underway.keySet()).forEach(this::noteSent);
            }
            if (underway.isEmpty()) {
                content.completed(recordsSent - told);
                told = recordsSent;
            }
        }

        @Override
        boolean isIdle() {
            boolean isFlushed = writer == null || writer.flush();
            noteClosed();
            return isFlushed && producer.inFlight() == 0;
        }
    }
}
