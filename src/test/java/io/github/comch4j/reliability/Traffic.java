package io.github.comch4j.reliability;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.RemoteConsumerState;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.reliability.Ledger.Entry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * One end of a connection under fire: sends as much as it can on both paths, and checks that what comes has its number,
 * size and checksum.
 *
 * <p>What is sent begins with a header: number (8 bytes), size, checksum, sender, kind (4 bytes each).
 */
final class Traffic {
    static final int HEADER = 24;
    /** The largest payload that one end may use; above what the emulated device's pipeline holds. */
    static final int MAX_PAYLOAD = (1 << 20) + (1 << 18);

    private static final int KIND_DATA = 0;
    private static final int KIND_END = 1;
    /** Nothing has come yet. */
    static final int UNKNOWN = -1;

    private static final MemorySegment NOISE = noise();

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    final ComchConnection connection;
    final Ledger ledger;
    /** What is wrong; empty if nothing is. */
    final List<String> errors = new ArrayList<>();
    /** The number of the peer, from its first message on. */
    int peer = UNKNOWN;
    /** When the end was reported, and not yet: 0. */
    long endedAt;
    /** The totals that the peer has told before an orderly end. */
    long controlTotal = UNKNOWN;

    long fastTotal = UNKNOWN;
    /** Payloads that were announced and did not come, while the consumer was running. */
    long failedReceives;

    final long madeAt = System.nanoTime();
    /** How often there was no room to send: all tasks in flight, the queue full, or nothing posted. */
    long refusedMessages;

    long refusedPayloads;

    private final ProgressEngine engine;
    private final Device device;
    private final int self;
    private final Random random;
    private final LongSupplier inFlight;
    private final int maxMessage;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment message;
    private final MemorySegment number;
    private int messageSize; // of a message that is made and not accepted yet; 0: none
    private MemoryMap memory;
    private ComchConsumer consumer;
    private ComchProducer producer;
    private final int maxPayload;
    private final Buffer[] buffers;
    private boolean payloadReady;
    private boolean triedFastPath;
    private boolean totalsSent;
    private int remote;
    /** The number of the next payload. */
    private long due;
    /** Buffers that came back without data, each of which may have been meant for a payload. */
    private long failed;

    /**
     * @param self who sends from this end
     * @param inFlight the control messages that this end has accepted and not completed
     * @param buffers to send from, and as many to receive into
     * @param maxPayload the size of each
     */
    Traffic(
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int self,
            Ledger ledger,
            Random random,
            LongSupplier inFlight,
            int buffers,
            int maxPayload) {
        this.connection = connection;
        this.engine = engine;
        this.device = device;
        this.self = self;
        this.ledger = ledger;
        this.random = random;
        this.inFlight = inFlight;
        this.buffers = new Buffer[buffers];
        this.maxPayload = maxPayload;
        this.maxMessage = connection.endpoint().maxMessageSize();
        this.message = arena.allocate(maxMessage, 8);
        this.number = arena.allocate(8, 8);
        connection.attach(this);
    }

    private static MemorySegment noise() {
        byte[] bytes = new byte[MAX_PAYLOAD + (1 << 16)];
        new Random(1).nextBytes(bytes);
        return Arena.global().allocate(bytes.length, 8).copyFrom(MemorySegment.ofArray(bytes));
    }

    private static int checksum(MemorySegment data) {
        CRC32C crc = new CRC32C();
        crc.update(data.asSlice(HEADER).asByteBuffer());
        return (int) crc.getValue();
    }

    private void write(MemorySegment data, long sequence, int kind) {
        int size = (int) data.byteSize();
        MemorySegment.copy(NOISE, random.nextInt(1 << 16), data, HEADER, size - HEADER);
        if (kind == KIND_END) {
            data.set(LONG, HEADER, ledger.get(Entry.FAST_SUBMITTED));
        }
        data.set(LONG, 0, sequence);
        data.set(INT, 8, size);
        data.set(INT, 12, checksum(data));
        data.set(INT, 16, self);
        data.set(INT, 20, kind);
    }

    private boolean isGood(String what, MemorySegment data, long expected) {
        long sequence = data.byteSize() < HEADER ? UNKNOWN : data.get(LONG, 0);
        if (sequence != expected) {
            errors.add(what + " " + sequence + " came where " + expected + " was due");
        } else if (data.get(INT, 8) != data.byteSize()) {
            errors.add(what + " " + sequence + " has " + data.byteSize() + " bytes, not " + data.get(INT, 8));
        } else if (data.get(INT, 12) != checksum(data)) {
            errors.add(what + " " + sequence + " of " + data.byteSize() + " bytes is torn");
        } else if (peer != UNKNOWN && peer != data.get(INT, 16)) {
            errors.add(what + " " + sequence + " is of " + data.get(INT, 16) + ", not of " + peer);
        } else {
            peer = data.get(INT, 16);
            return true;
        }
        ledger.increment(Entry.ERRORS);
        return false;
    }

    void received(MemorySegment data) {
        if (isGood("message", data, ledger.get(Entry.CONTROL_RECEIVED)) && data.get(INT, 20) == KIND_END) {
            controlTotal = data.get(LONG, 0) + 1;
            fastTotal = data.get(LONG, HEADER);
            checkCounter();
        }
        ledger.increment(Entry.CONTROL_RECEIVED);
        ledger.set(Entry.BYTES_RECEIVED, ledger.get(Entry.BYTES_RECEIVED) + data.byteSize());
    }

    private void checkCounter() {
        long counted;
        try {
            counted = connection.counters().receivedMessages();
        } catch (DocaException e) {
            return; // the peer was killed after its last message
        }
        if (counted != controlTotal) {
            errors.add("DOCA has counted " + counted + " of " + controlTotal + " messages");
        }
    }

    private void payloadReceived(ComchConsumer self, Buffer buffer, int producerId, MemorySegment immediate) {
        skipFailed(buffer.data());
        if (isGood("payload", buffer.data(), due) && immediate.get(LONG, 0) != due) {
            errors.add("payload " + due + " has immediate data " + immediate.get(LONG, 0));
            ledger.increment(Entry.ERRORS);
        }
        due++;
        ledger.increment(Entry.FAST_RECEIVED);
        ledger.set(
                Entry.BYTES_RECEIVED,
                ledger.get(Entry.BYTES_RECEIVED) + buffer.data().byteSize());
    }

    /**
     * A payload that has failed, which was reported, is not to come any more. When the connection ends, a buffer may
     * come back before one that was filled.
     */
    private void skipFailed(MemorySegment data) {
        long missing = data.byteSize() < HEADER ? 0 : data.get(LONG, 0) - due;
        if (missing > 0 && missing <= failed) {
            failed -= missing;
            due += missing;
        }
    }

    void consumerChanged(int id, RemoteConsumerState state) {
        remote = state == RemoteConsumerState.NEW ? id : 0;
    }

    /** Its end was reported. */
    void ended() {
        if (endedAt == 0) {
            endedAt = System.nanoTime();
        }
    }

    boolean isOver() {
        return endedAt != 0;
    }

    /** Nothing of it remains where the connection has ended meanwhile. */
    void openFastPath() {
        triedFastPath = true;
        try {
            open();
        } catch (ConnectionClosedException e) {
            closeParts();
        }
    }

    private void open() {
        memory = MemoryMap.allocate(
                device, 2L * buffers.length * maxPayload, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        consumer = connection
                .consumer(engine, memory)
                .buffers(buffers.length, maxPayload)
                .onReceive(this::payloadReceived)
                .onReceiveFailed((self, buffer, error) -> {
                    failed++;
                    failedReceives += self.isRunning() ? 1 : 0; // else: flushed, perhaps before the end is reported
                })
                .start();
        producer = connection
                .producer(engine)
                .tasks(buffers.length)
                .onCompletion((self, buffer, status) -> {
                    if (status == DocaError.SUCCESS) {
                        ledger.increment(Entry.FAST_COMPLETED);
                    }
                })
                .start();
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = producer.acquire(memory, (long) (buffers.length + i) * maxPayload, maxPayload);
        }
    }

    boolean hasTriedFastPath() {
        return triedFastPath;
    }

    /** Whether all that had arrived before the end was delivered. */
    boolean isDrained() {
        return consumer == null || consumer.state() == ContextState.IDLE;
    }

    /** Sends what there is room for, a few at most. Whether anything went. */
    boolean step() {
        boolean sent = false;
        try {
            for (int i = 0; i < 4 && sendMessage(KIND_DATA); i++) {
                sent = true;
            }
            for (int i = 0; i < 4 && sendPayload(); i++) {
                sent = true;
            }
        } catch (ConnectionClosedException e) {
            return sent; // the end will be reported
        }
        countCompletions();
        return sent;
    }

    /** Counts messages whose completion was reported so far. */
    void countCompletions() {
        if (connection.isOpen()) {
            ledger.set(Entry.CONTROL_COMPLETED, ledger.get(Entry.CONTROL_ACCEPTED) - inFlight.getAsLong());
        }
    }

    private boolean sendMessage(int kind) {
        if (messageSize == 0) {
            int shape = random.nextInt(4);
            int room = maxMessage - HEADER - 8;
            messageSize = HEADER + 8 + (shape == 0 ? 0 : shape == 1 ? random.nextInt(room) : random.nextInt(64));
            write(message.asSlice(0, messageSize), ledger.get(Entry.CONTROL_ACCEPTED), kind);
        }
        if (!connection.trySend(message.asSlice(0, messageSize)).accepted()) {
            refusedMessages++;
            return false;
        }
        messageSize = 0;
        ledger.increment(Entry.CONTROL_ACCEPTED);
        return true;
    }

    private int payloadSize() {
        int shape = random.nextInt(100);
        int limit = shape < 50 ? 512 : shape < 75 ? 16 << 10 : shape < 96 ? 200 << 10 : maxPayload;
        return HEADER + random.nextInt(Math.min(limit, maxPayload - HEADER));
    }

    private boolean sendPayload() {
        if (remote == 0 || producer == null || producer.isClosed()) {
            return false;
        }
        long sequence = ledger.get(Entry.FAST_SUBMITTED);
        Buffer buffer = buffers[(int) (sequence % buffers.length)];
        if (!payloadReady) {
            if (buffer.isInFlight()) {
                refusedPayloads++;
                return false;
            }
            buffer.setData(0, payloadSize());
            write(buffer.data(), sequence, KIND_DATA);
            number.set(LONG, 0, sequence);
            payloadReady = true;
        }
        try {
            if (!producer.trySend(buffer, remote, number).accepted()) {
                refusedPayloads++;
                return false;
            }
        } catch (ConnectionClosedException e) {
            throw e;
        } catch (DocaException e) {
            if (e.error() != DocaError.INVALID_VALUE) {
                throw e;
            }
            remote = 0; // the peer's consumer has stopped, which its event will tell
            return false;
        }
        payloadReady = false;
        ledger.increment(Entry.FAST_SUBMITTED);
        return true;
    }

    /** Before an orderly end: sends nothing new, until all is out; then the totals. True when those are out too. */
    boolean finish() {
        try {
            countCompletions();
            if (messageSize > 0) {
                sendMessage(KIND_DATA); // made already: it goes first, whatever it is
            } else if (!totalsSent && (producer == null || producer.inFlight() == 0)) {
                totalsSent = true;
                sendMessage(KIND_END);
            }
            return totalsSent && messageSize == 0 && inFlight.getAsLong() == 0;
        } catch (ConnectionClosedException e) {
            return true;
        }
    }

    @Override
    public String toString() {
        return "with " + peer + (isOver() ? ", over" : "") + ": sent " + ledger.get(Entry.CONTROL_ACCEPTED)
                + " messages and "
                + ledger.get(Entry.FAST_SUBMITTED) + " payloads" + (totalsSent ? ", which is all" : "") + ", in flight "
                + inFlight.getAsLong() + " and "
                + (producer == null ? 0 : producer.inFlight()) + "; received " + ledger.get(Entry.CONTROL_RECEIVED)
                + " of " + controlTotal + " messages and "
                + ledger.get(Entry.FAST_RECEIVED) + " of " + fastTotal + " payloads";
    }

    /** Whether as much has come as the peer has told. */
    boolean hasEverything() {
        return controlTotal == ledger.get(Entry.CONTROL_RECEIVED) && fastTotal == ledger.get(Entry.FAST_RECEIVED);
    }

    /** Closes in an order that the random numbers decide. Not in a callback. */
    void close() {
        closeParts();
        arena.close();
    }

    private void closeParts() {
        List<Runnable> parts = new ArrayList<>();
        if (memory != null) {
            parts.add(memory::close);
        }
        if (consumer != null) {
            parts.add(consumer::close);
        }
        if (producer != null) {
            parts.add(producer::close);
        }
        Collections.shuffle(parts, random);
        parts.forEach(Runnable::run);
    }
}
