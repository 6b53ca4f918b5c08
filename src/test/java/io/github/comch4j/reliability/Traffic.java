package io.github.comch4j.reliability;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.reliability.Ledger.Entry;
import java.io.UncheckedIOException;
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
 * size and checksum. On the fast path the random numbers choose the objects that send and receive payloads
 * ({@link Outgoing}, {@link Incoming}), at each end for itself.
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
    /** Payloads that are missing: what a peer had in flight when it closed at once failed; those behind may come. */
    final List<String> gaps = new ArrayList<>();
    /** The number of the peer, from its first message on. */
    int peer = UNKNOWN;
    /** When the end was reported, and not yet: 0. */
    long endedAt;
    /** The totals that the peer has told before an orderly end. */
    long controlTotal = UNKNOWN;

    long fastTotal = UNKNOWN;
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
    private int messageSize; // of a message that is made and not accepted yet; 0: none
    private Incoming incoming; // null: none yet
    private Outgoing outgoing;
    private final int maxPayload;
    private final int tasks;
    private boolean triedFastPath;
    private boolean totalsSent;
    private int remote;
    /** The number of the next payload. */
    private long due;
    /** Failed receives whose payloads were found missing. */
    private long failuresSeen;
    /** Of the message that has just come: a row of records. */
    private final RecordReader records = new RecordReader(
            (memory, offset, length, type, id) -> recordReceived(memory.asSlice(offset, length), type),
            missing -> {}); // the numbers of the records tell

    /**
     * @param self who sends from this end
     * @param inFlight the control messages that this end has accepted and not completed
     * @param tasks places to send payloads from, and as many to receive into
     * @param maxPayload the size of the largest
     */
    Traffic(
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int self,
            Ledger ledger,
            Random random,
            LongSupplier inFlight,
            int tasks,
            int maxPayload) {
        this.connection = connection;
        this.engine = engine;
        this.device = device;
        this.self = self;
        this.ledger = ledger;
        this.random = random;
        this.inFlight = inFlight;
        this.tasks = tasks;
        this.maxPayload = maxPayload;
        this.maxMessage = connection.endpoint().maxMessageSize();
        this.message = arena.allocate(maxMessage, 8);
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

    private void payloadReceived(MemorySegment data, MemorySegment immediate) {
        ledger.set(Entry.BYTES_RECEIVED, ledger.get(Entry.BYTES_RECEIVED) + data.byteSize());
        if (immediate.byteSize() != 0) {
            skipFailed(data, false);
            countPayload(data, immediate.get(LONG, 0), -1L);
            return;
        }
        try {
            records.onMessage(data, 0, (int) data.byteSize(), 0);
        } catch (UncheckedIOException e) {
            error(e.getMessage());
        }
    }

    private void recordReceived(MemorySegment data, int type) {
        skipFailed(data, true);
        countPayload(data, type, 0xffff_ffffL);
    }

    /** {@code told} is the payload's number, or some bits of it, that came beside it. */
    private void countPayload(MemorySegment data, long told, long mask) {
        long number = data.byteSize() < HEADER ? UNKNOWN : data.get(LONG, 0);
        if (number > due) {
            gaps.add("payload " + number + " came where " + due + " was due");
            ledger.increment(Entry.ERRORS);
            due = number;
        }
        if (isGood("payload", data, due) && (told & mask) != (due & mask)) {
            error("payload " + due + " came with the number " + told);
        }
        due++;
        ledger.increment(Entry.FAST_RECEIVED);
    }

    private void error(String what) {
        errors.add(what);
        ledger.increment(Entry.ERRORS);
    }

    /**
     * A payload that has failed, which was reported, is not to come any more. When the connection ends, a buffer may
     * come back before one that was filled. With one receive, all the records of a message fail.
     */
    private void skipFailed(MemorySegment data, boolean isRecord) {
        long missing = data.byteSize() < HEADER ? 0 : data.get(LONG, 0) - due;
        long failures = missing <= 0 ? 0 : incoming.failed() - failuresSeen;
        if (failures > 0 && (isRecord || missing <= failures)) {
            failuresSeen += isRecord ? 1 : missing;
            due += missing;
        }
    }

    /** Payloads that were announced and did not come, while the consumer was running. */
    long failedReceives() {
        return incoming == null ? 0 : incoming.failedBeforeTheEnd();
    }

    /** Prints what is wrong, and counts it in the books, in a process that nobody else asks. */
    void accountForFaults(Ledger books) {
        printFaults();
        books.set(Entry.ERRORS, books.get(Entry.ERRORS) + errors.size() + gaps.size() + failedReceives());
    }

    void printFaults() {
        errors.forEach(System.err::println);
        gaps.forEach(System.err::println);
    }

    void consumerChanged(int id) {
        remote = id;
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
        Incoming.Kind receivesIn = pick(Incoming.Kind.values());
        Outgoing.Kind sendsIn = pick(Outgoing.Kind.values());
        ledger.setSending(sendsIn);
        int room = maxPayload + Outgoing.RECORD_ROOM;
        incoming = Incoming.open(receivesIn, connection, engine, device, tasks, room, this::payloadReceived);
        outgoing = Outgoing.open(sendsIn, connection, engine, device, tasks, room, random, new Outgoing.Content() {
            @Override
            public int size() {
                return payloadSize();
            }

            @Override
            public void write(MemorySegment payload, long number) {
                Traffic.this.write(payload, number, KIND_DATA);
            }

            @Override
            public void completed(long count) {
                ledger.set(Entry.FAST_COMPLETED, ledger.get(Entry.FAST_COMPLETED) + count);
            }
        });
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }

    /** How payloads travel at this end. */
    String ways() {
        return incoming == null || outgoing == null
                ? "no payloads"
                : "payloads sent " + outgoing.way() + ", received " + incoming;
    }

    boolean hasTriedFastPath() {
        return triedFastPath;
    }

    /** Whether all that had arrived before the end was delivered. Not in a callback. */
    boolean isDrained() {
        return incoming == null || incoming.isDrained();
    }

    /** Sends what there is room for, a few at most. Whether anything went. */
    boolean step() {
        boolean sent = false;
        try {
            for (int i = 0; i < 4 && sendMessage(KIND_DATA); i++) {
                sent = true;
            }
            if (incoming != null) {
                incoming.poll();
            }
            if (outgoing != null) {
                for (int i = outgoing.burst(); i > 0 && sendPayload(); i--) {
                    sent = true;
                }
                outgoing.work();
            }
        } catch (ConnectionClosedException e) {
            return sent; // the end will be reported
        }
        countCompletions();
        return sent;
    }

    /** Counts messages and payloads whose completion was reported so far. */
    void countCompletions() {
        if (outgoing != null) {
            outgoing.countCompletions();
        }
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
        if (remote == 0) {
            return false;
        }
        try {
            if (!outgoing.send(ledger.get(Entry.FAST_SUBMITTED), remote)) {
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
        ledger.increment(Entry.FAST_SUBMITTED);
        return true;
    }

    /** Before an orderly end: sends nothing new, until all is out; then the totals. True when those are out too. */
    boolean finish() {
        try {
            if (incoming != null) {
                incoming.poll();
            }
            countCompletions();
            if (messageSize > 0) {
                sendMessage(KIND_DATA); // made already: it goes first, whatever it is
            } else if (!totalsSent && (outgoing == null || outgoing.isIdle())) {
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
                + inFlight.getAsLong() + "; " + (outgoing == null ? "no payloads" : outgoing) + "; received "
                + ledger.get(Entry.CONTROL_RECEIVED)
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
        if (incoming != null) {
            parts.addAll(incoming.parts());
        }
        if (outgoing != null) {
            parts.addAll(outgoing.parts());
        }
        Collections.shuffle(parts, random);
        parts.forEach(Runnable::run);
    }
}
