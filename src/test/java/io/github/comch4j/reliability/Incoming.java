package io.github.comch4j.reliability;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotHandler;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** How payloads reach one end of a connection under fire: in buffers, or in slots, whether polled or handed over. */
abstract sealed class Incoming {
    /** The ways. */
    enum Kind {
        BUFFERS,
        SLOTS,
        POLLED_SLOTS
    }

    /** Who is told. */
    interface Content {
        /** A message has arrived. Both segments are valid until this returns. */
        void arrived(MemorySegment message, MemorySegment immediate);
    }

    private Incoming() {}

    /** Opens one; {@code room} is the size of the largest message, {@code count} that of receives. */
    static Incoming open(
            Kind kind,
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int count,
            int room,
            Content content) {
        return kind == Kind.BUFFERS
                ? new Buffers(connection, engine, device, count, room, content)
                : new Slots(connection, engine, count, room, kind == Kind.POLLED_SLOTS, content);
    }

    /** Takes what waits. Not in a callback. */
    void poll() {}

    /** After the end: whether all that had arrived was delivered. Not in a callback. */
    abstract boolean isDrained();

    /** Receives that ended without a message, each of which may have been meant for one. */
    abstract long failed();

    /** Those of them that were announced and did not come, while the consumer was running. */
    abstract long failedBeforeTheEnd();

    /** What there is to close, in any order. */
    abstract List<Runnable> parts();

    private static final class Buffers extends Incoming {
        private final MemoryMap memory;
        private final ComchConsumer consumer;
        private long failed;
        private long failedBeforeTheEnd;

        Buffers(
                ComchConnection connection,
                ProgressEngine engine,
                Device device,
                int count,
                int room,
                Content content) {
            memory = MemoryMap.allocate(device, (long) count * room, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
            try {
                consumer = connection
                        .consumer(engine, memory)
                        .buffers(count, room)
                        .onReceive((self, buffer, id, immediate) -> content.arrived(buffer.data(), immediate))
                        .onReceiveFailed((self, buffer, error) -> {
                            failed++;
                            failedBeforeTheEnd +=
                                    self.isRunning() ? 1 : 0; // else: flushed, perhaps before the end is reported
                        })
                        .start();
            } catch (RuntimeException e) {
                memory.close();
                throw e;
            }
        }

        @Override
        boolean isDrained() {
            return consumer.state() == ContextState.IDLE;
        }

        @Override
        long failed() {
            return failed;
        }

        @Override
        long failedBeforeTheEnd() {
            return failedBeforeTheEnd;
        }

        @Override
        List<Runnable> parts() {
            return List.of(memory::close, consumer::close);
        }

        @Override
        public String toString() {
            return "in buffers";
        }
    }

    private static final class Slots extends Incoming {
        private static final int FEW = 4; // at a time: the engine may have hundreds of others to serve

        private final SlotConsumer consumer;
        private final SlotHandler handler;
        private final boolean isPolled;
        private long failedBeforeTheEnd;

        Slots(
                ComchConnection connection,
                ProgressEngine engine,
                int count,
                int room,
                boolean isPolled,
                Content content) {
            this.isPolled = isPolled;
            handler = (memory, offset, length, id) -> take(memory, offset, length, content);
            SlotConsumer.Builder builder =
                    connection.slotConsumer(engine, room).tasks(count).onReceiveFailed((self, status) -> {}); // counted
            consumer = (isPolled ? builder : builder.onMessage(handler)).start();
        }

        private void take(MemorySegment memory, long offset, int length, Content content) {
            content.arrived(memory.asSlice(offset, length), consumer.immediate());
        }

        @Override
        void poll() {
            if (consumer.isRunning()) {
                failedBeforeTheEnd = consumer.failed();
            }
            if (isPolled && !consumer.isClosed()) {
                consumer.poll(handler, FEW);
            }
        }

        @Override
        boolean isDrained() {
            return consumer.state() == ContextState.IDLE
                    && (!isPolled || consumer.isClosed() || consumer.poll(handler, FEW) == 0);
        }

        @Override
        long failed() {
            return consumer.failed();
        }

        @Override
        long failedBeforeTheEnd() {
            return failedBeforeTheEnd;
        }

        @Override
        List<Runnable> parts() {
            return List.of(consumer::close);
        }

        @Override
        public String toString() {
            return isPolled ? "in polled slots" : "in slots";
        }
    }
}
