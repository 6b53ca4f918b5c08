package io.github.comch4j.bench;

import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.io.RecordWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Records, many in a message: throughput only. */
final class PackedCarrier implements Carrier {
    private static final int SIGNALS = 8;
    private static final int SLOT = 8192;
    private static final int SLOTS = 64;
    /** Some more than two messages have room for: while nothing is in flight, a turn sends what there is. */
    private static final int RECORDS_PER_TURN = 256;

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        Loop loop = new Loop();
        Endpoint server = Endpoint.server(options, loop, SIGNALS, Endpoint.noMessages());
        return new PackedInlet(server, loop.newEngine(), arrivals);
    }

    @Override
    public Outlet outlet(Options options) {
        Loop loop = new Loop();
        Endpoint client = Endpoint.client(options, loop, SIGNALS, Endpoint.noMessages());
        return new PackedOutlet(options, client, loop.newEngine());
    }

    @Override
    public Table answering(Options options) {
        throw new IllegalArgumentException("records have no ping-pong: a lone one is a message");
    }

    @Override
    public Table asking(Options options) {
        return answering(options);
    }

    private static final class PackedInlet implements Inlet {
        private final Endpoint endpoint;
        private final SlotConsumer consumer;
        private final Arrivals arrivals;
        private final RecordReader reader;

        PackedInlet(Endpoint endpoint, ProgressEngine engine, Arrivals arrivals) {
            this.endpoint = endpoint;
            this.arrivals = arrivals;
            endpoint.awaitConnection();
            consumer = endpoint.connection
                    .slotConsumer(engine, SLOT)
                    .tasks(SLOTS)
                    .immediateLength(0)
                    .start();
            endpoint.loop.waitFor("the consumer", consumer::isRunning);
            reader = new RecordReader((memory, offset, length, type, producer) -> {
                if (arrivals.isChecking()) {
                    arrivals.check(memory.asSlice(offset, length));
                }
                arrivals.arrived(memory.get(ValueLayout.JAVA_LONG, offset), length);
            });
        }

        @Override
        public int poll() {
            long before = arrivals.received();
            consumer.poll(reader, 8);
            return (int) (arrivals.received() - before);
        }

        @Override
        public void stop() {
            endpoint.stopSender(this::poll);
        }

        @Override
        public void close() {
            consumer.close();
            endpoint.close();
        }
    }

    private static final class PackedOutlet implements Outlet {
        private final Endpoint endpoint;
        private final SlotProducer producer;
        private final RecordWriter writer;
        private final MemorySegment memory;
        private final int size;
        private final int stride;
        private long toFill; // records whose pattern the receiver checks
        private long again; // when it is closed

        PackedOutlet(Options options, Endpoint endpoint, ProgressEngine engine) {
            this.endpoint = endpoint;
            endpoint.awaitRemoteConsumer();
            size = options.size();
            stride = RecordWriter.stride(size);
            toFill = 4L * options.depth();
            producer =
                    endpoint.connection.slotProducer(engine, SLOT).tasks(SLOTS).start();
            writer = new RecordWriter(producer, endpoint.remoteConsumer);
            memory = writer.memory();
        }

        @Override
        public boolean trySend(long number) {
            return offer(number) && writer.flush();
        }

        @Override
        public boolean offer(long number) {
            return offer(number, 1) == 1;
        }

        @Override
        public int offer(long number, int most) {
            int offered = 0;
            while (offered < most) {
                long at = writer.claimMany(most - offered, size, 1);
                if (at < 0) {
                    break;
                }
                offered += write(at, writer.claimed(), number + offered);
                writer.commit();
            }
            return offered;
        }

        private int write(long at, int claimed, long number) {
            long place = at;
            for (int i = 0; i < claimed; i++) {
                if (toFill > 0) {
                    toFill--;
                    Arrivals.fill(memory.asSlice(place, size));
                }
                memory.set(ValueLayout.JAVA_LONG, place, number + i);
                place += stride;
            }
            return claimed;
        }

        @Override
        public int turn() {
            return RECORDS_PER_TURN;
        }

        @Override
        public void progress() {
            writer.progress();
        }

        @Override
        public boolean isStopped() {
            return endpoint.isStopped();
        }

        @Override
        public long again() {
            return producer.isClosed() ? again : producer.refused() + producer.retries();
        }

        @Override
        public void close() {
            endpoint.loop.waitFor("completions", () -> writer.flush() && producer.inFlight() == 0);
            again = again();
            producer.close();
            endpoint.endSender();
        }
    }
}
