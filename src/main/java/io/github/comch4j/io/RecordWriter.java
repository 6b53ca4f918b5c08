package io.github.comch4j.io;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.Broadcast;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.link.Loops;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts many small records into each message of a slot producer. A message costs as much with one record of 64 bytes as
 * with fifty.
 *
 * {@snippet file="Pieces.java" region="records-write"}
 *
 * <p>The writer sends a message when the next record does not fit into it, in {@link #flush()}, or in
 * {@link #progress()}. {@link #progress()} sends it at once while nothing else is in flight, so that a single record is
 * not delayed; otherwise it sends the message after the {@linkplain #setMaxDelay maximum delay}.
 *
 * <p><b>Format.</b> A message begins with its number (32 bits), counted from 0 by its writer, and the writer's own
 * number (32 bits), both little-endian. These numbers show the reader which messages are missing. A sequence of records
 * follows. Each record begins at a multiple of 8 bytes. It consists of its length (32 bits) and its type (32 bits),
 * both little-endian, then as many bytes, then padding up to a multiple of 8. A message contains nothing else. C
 * programs can read and write this format as well ({@code docs/records.md}).
 *
 * <p>A message whose send fails is a gap at the reader. The failure is reported to the slot producer's handler
 * ({@link SlotProducer.Builder#onSendFailed}).
 *
 * <p>The slot producer belongs to the writer: while a message with records is open, the program cannot claim another
 * slot of the producer. Only the thread that owns the producer's engine may call these methods.
 */
public final class RecordWriter {
    private static final long DEFAULT_DELAY_NS = 20_000;
    private static final long NONE = -1;
    private static final int MANY = 256;
    /** Writers of this process have one each: a consumer may get messages from several, also of one producer's id. */
    private static final AtomicInteger WRITERS = new AtomicInteger(new Random().nextInt());

    private final MessageTarget out;
    private final ProgressEngine progressEngine;
    private final Engine engine;
    private final MemorySegment memory;
    private final int capacity;
    private final int own = WRITERS.getAndIncrement();
    private int number; // of the next message that is sent
    private long maxDelay = DEFAULT_DELAY_NS;

    // places are offsets in the memory
    private long open = NONE; // where the open message begins
    private long limit = NONE; // where its slot ends; NONE, so that nothing fits: no message is open
    private boolean waits; // a progress has left the open message open
    private long waitsSince; // when the first of them did, by System.nanoTime()
    private long tail; // where the last record of the open message ends, a claimed one too
    private long claimed = NONE; // where the first claimed record begins; the headers are in their places already
    private int claimedRecords;
    private int claimedLength; // of each
    private final Counter records = new Counter();
    private final Counter messages = new Counter();
    private final Counter bytes = new Counter();

    /**
     * Creates a writer of records for one consumer.
     *
     * @param producer the producer that sends the messages; its slots must have room for at least one empty record, 16
     *     bytes
     * @param consumerId a consumer of the peer
     * @throws IllegalArgumentException if the slots are too short
     */
    public RecordWriter(SlotProducer producer, int consumerId) {
        this(producer.engine(), producer.memory(), producer.slotSize(), new ToSlots(producer, consumerId));
    }

    /**
     * Creates a writer that puts records into the places of a pool, for many peers at once. When a message is complete,
     * the program sends the broadcast to each peer; the writer then releases its hold of it. If a peer misses messages,
     * the numbers show how many: its {@link RecordReader} reports them to {@code onMissing} before the next records.
     * For a peer that joins later, the reader reports all earlier messages as missing. If a claim returns
     * {@code NO_SLOT}, the pool has no free place.
     *
     * <p>Where this documentation says "producer", the pool is meant. Each broadcast has room for one message.
     *
     * @param engine the engine whose thread writes
     * @param pool a pool with places of a multiple of 8 bytes, at least 16
     * @param send sends the broadcast to each peer; must not use the writer
     * @throws IllegalArgumentException if the places are too short, or not a multiple of 8 bytes
     */
    public RecordWriter(ProgressEngine engine, Broadcast.Pool pool, Consumer<? super Broadcast> send) {
        this(engine, pool.memory().segment(), pool.size(), new ToPlaces(pool, Objects.requireNonNull(send)));
        if (pool.size() % 8 != 0) {
            throw new IllegalArgumentException(
                    "the places of the pool must have a multiple of 8 bytes, not " + pool.size());
        }
    }

    private RecordWriter(ProgressEngine progressEngine, MemorySegment memory, long size, MessageTarget out) {
        this.out = out;
        this.progressEngine = progressEngine;
        this.engine = Loops.engineOf(progressEngine);
        this.memory = memory;
        this.capacity = (int) Math.min(size, Integer.MAX_VALUE) & ~7;
        if (capacity < Records.NUMBER + Records.HEADER) {
            throw new IllegalArgumentException("a message of " + size + " bytes has no room for a record");
        }
    }

    /** Where messages go. */
    private interface MessageTarget {
        /** Where in the memory, or what there is none of. */
        long claim(int length);

        void abort();

        void commit(int length);

        boolean flush();

        /** Without the open one. */
        int inFlight();
    }

    private record ToSlots(SlotProducer producer, int consumerId) implements MessageTarget {
        @Override
        public long claim(int length) {
            return producer.claim(length, consumerId);
        }

        @Override
        public void abort() {
            producer.abort();
        }

        @Override
        public void commit(int length) {
            producer.commit(length);
        }

        @Override
        public boolean flush() {
            return producer.flush();
        }

        @Override
        public int inFlight() {
            return producer.inFlight();
        }

        @Override
        public String toString() {
            return producer.toString();
        }
    }

    private static final class ToPlaces implements MessageTarget {
        private final Broadcast.Pool pool;
        private final Consumer<? super Broadcast> send;
        private final long base; // address
        private @Nullable Broadcast open;

        ToPlaces(Broadcast.Pool pool, Consumer<? super Broadcast> send) {
            this.pool = pool;
            this.send = send;
            this.base = pool.memory().segment().address();
        }

        private Broadcast taken() {
            return Objects.requireNonNull(open);
        }

        @Override
        public long claim(int length) {
            if (open != null) {
                throw new IllegalStateException("the writer cannot be used while it sends a message to " + pool);
            }
            open = pool.tryAcquire();
            return open == null ? SlotProducer.NO_SLOT : open.segment().address() - base;
        }

        @Override
        public void abort() {
            Broadcast unused = taken();
            open = null;
            unused.release();
        }

        @Override
        public void commit(int length) {
            Broadcast complete = taken().commit(length);
            try {
                send.accept(complete);
            } finally {
                open = null;
                complete.release();
            }
        }

        @Override
        public boolean flush() {
            return true; // each peer's producer submits its own
        }

        @Override
        public int inFlight() {
            return pool.capacity() - pool.available() - (open == null ? 0 : 1);
        }

        @Override
        public String toString() {
            return pool.toString();
        }
    }

    /**
     * Sets how long a message may wait for more records while others are in flight. Default: 20 µs.
     *
     * @param delay the time from the first {@link #progress()} that finds the message open to the one that sends it; if
     *     zero, the same call sends it
     * @throws IllegalArgumentException if the delay is negative
     */
    public void setMaxDelay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("negative delay: " + delay);
        }
        maxDelay = Nanos.of(delay);
    }

    /**
     * Returns the length of the longest record.
     *
     * @return bytes
     */
    public int maxLength() {
        return capacity - Records.NUMBER - Records.HEADER;
    }

    /**
     * Returns the memory into which the program writes records. It belongs to the producer.
     *
     * @return the same segment as long as the producer lives
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Claims room for a record. Never waits. The program can claim one record at a time, and must call
     * {@link #commit()} or {@link #abort()} next.
     *
     * @param length the largest length of the record in bytes, 0 to {@link #maxLength()}
     * @param type any number; the reader gets it
     * @return where to write the record in {@link #memory()}, a multiple of 8; or {@link SlotProducer#NO_SLOT} or
     *     {@link SlotProducer#NO_PEER_RECEIVE}, both less than 0
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if the length exceeds the maximum
     * @throws IllegalStateException if a record is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claim(int length, int type) {
        engine.checkOwner();
        if (claimed != NONE || length < 0 || length > maxLength()) {
            throw notClaimable(length);
        }
        long at = tail;
        long end = at + Records.size(length);
        if (end > limit) {
            at = openNext();
            if (at < 0) {
                return at;
            }
            end = at + Records.size(length);
        }
        try {
            memory.set(Records.HEADER_LAYOUT, at, Records.header(length, type));
        } catch (IllegalStateException e) {
            out.claim(capacity); // throws: the producer has ended, and its memory with it
            throw e;
        }
        tail = end;
        claimed = at;
        claimedRecords = 1;
        claimedLength = length;
        return at + Records.HEADER;
    }

    /**
     * Claims room as {@link #claim} does, for several records of one length and type: as many as fit into the open
     * message, or into the next message if not even one fits. The program commits or aborts them together. Use this
     * method for the highest rates, because it makes the checks of a claim only once for all records.
     *
     * {@snippet file="Pieces.java" region="records-write-many"}
     *
     * @param most the most records to claim, at least 1; {@link #claimed()} returns how many were claimed
     * @param length the length of each record in bytes, 0 to {@link #maxLength()}
     * @param type any number; the reader gets it
     * @return where to write the first record in {@link #memory()}; each further record begins
     *     {@link #stride stride(length)} bytes after the one before it; or {@link SlotProducer#NO_SLOT} or
     *     {@link SlotProducer#NO_PEER_RECEIVE}, both less than 0
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     * @throws IllegalArgumentException if the length exceeds the maximum, or {@code most} is less than 1
     * @throws IllegalStateException if a record is claimed already, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public long claimMany(int most, int length, int type) {
        if (most < 1) {
            throw new IllegalArgumentException("a claim needs at least 1 record, not " + most);
        }
        long first = claim(length, type);
        if (first < 0) {
            return first;
        }
        long size = Records.size(length);
        int number = (int) Math.min(most, (limit - claimed) / size);
        long header = Records.header(length, type);
        for (int i = 1; i < number; i++) {
            memory.set(Records.HEADER_LAYOUT, claimed + i * size, header);
        }
        claimedRecords = number;
        tail = claimed + number * size;
        return first;
    }

    /**
     * Returns the number of claimed records.
     *
     * @return 0 if the claimed records were committed or aborted
     */
    public int claimed() {
        return claimed == NONE ? 0 : claimedRecords;
    }

    /**
     * Returns the distance between records of one length in a message.
     *
     * @param length the length of each record in bytes
     * @return bytes, including the header and the padding
     */
    public static int stride(int length) {
        return (int) Records.size(length);
    }

    private RuntimeException notClaimable(int length) {
        return claimed != NONE
                ? new IllegalStateException("a record is claimed already; commit or abort it first")
                : new IllegalArgumentException("a record takes 0 to " + maxLength() + " bytes, not " + length);
    }

    private long openNext() {
        if (open != NONE) {
            send();
        }
        long at = out.claim(capacity);
        if (at >= 0) {
            open = at;
            limit = at + capacity;
            at += Records.NUMBER;
            tail = at;
            waits = false; // a look at the clock for each message would take as long as some records
        }
        return at;
    }

    private void send() {
        int length = (int) (tail - open);
        open = NONE; // also if it fails: the producer has taken it back then
        limit = NONE;
        if (length == Records.NUMBER) {
            out.abort();
        } else {
            memory.set(Records.NUMBER_LAYOUT, tail - length, Records.number(number, own));
            number++; // before anybody can have it
            out.commit(length);
            messages.increment();
            bytes.add(length);
        }
    }

    /**
     * Completes the claimed record: it will be sent with the open message.
     *
     * @throws IllegalStateException if no record is claimed
     * @throws WrongThreadException if another thread owns the engine
     */
    public void commit() {
        engine.checkOwner();
        checkClaimed();
        claimed = NONE;
        records.add(claimedRecords);
    }

    private void checkClaimed() {
        if (claimed == NONE) {
            throw new IllegalStateException("no record is claimed");
        }
    }

    /**
     * Completes the claimed record as {@link #commit()} does, with a smaller length than was claimed.
     *
     * @param length the record's length in bytes, 0 to the claimed length
     * @throws IllegalArgumentException if less was claimed; the record remains claimed
     */
    public void commit(int length) {
        engine.checkOwner();
        checkClaimed();
        if (claimedRecords > 1) {
            throw new IllegalStateException("several records are claimed: they must be committed together");
        }
        if (length < 0 || length > claimedLength) {
            throw new IllegalArgumentException("cannot commit " + length + " bytes: " + claimedLength + " are claimed");
        }
        memory.set(Records.LENGTH_LAYOUT, claimed, length);
        tail = claimed + Records.size(length);
        commit();
    }

    /**
     * Gives up the claimed room.
     *
     * @throws IllegalStateException if no record is claimed
     * @throws WrongThreadException if another thread owns the engine
     */
    public void abort() {
        engine.checkOwner();
        checkClaimed();
        tail = claimed;
        claimed = NONE;
    }

    /**
     * Claims room, copies a record into it, and commits it.
     *
     * @param content at most {@link #maxLength()} bytes
     * @param type any number; the reader gets it
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     */
    public SubmitResult offer(MemorySegment content, int type) {
        long at = claim((int) Math.min(content.byteSize(), Integer.MAX_VALUE), type);
        if (at < 0) {
            return at == SlotProducer.NO_SLOT ? SubmitResult.NO_TASK : SubmitResult.NO_RECEIVE;
        }
        MemorySegment.copy(content, 0, memory, at, content.byteSize());
        commit();
        return SubmitResult.ACCEPTED;
    }

    /**
     * Sends the open message, and submits what the producer has queued, as far as the consumer has posted receives.
     *
     * @return whether the queue is empty
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if a record is claimed, or the producer is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean flush() {
        engine.checkOwner();
        if (claimed != NONE) {
            throw new IllegalStateException("a record is claimed; commit or abort it first");
        }
        if (open != NONE) {
            send();
        }
        return out.flush();
    }

    /**
     * Progresses the producer's engine, and sends the open message if it is due. While nothing is in flight, each call
     * sends the open message, however short it is. If there are many records, write enough of them to fill a message
     * between two calls.
     *
     * @return whether the call did any work
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended and a message was open
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean progress() {
        engine.checkOwner();
        boolean due =
                open != NONE && tail > open + Records.NUMBER && claimed == NONE && (out.inFlight() == 0 || hasWaited());
        if (due) {
            send();
        }
        return progressEngine.progress(MANY) > 0 || due;
    }

    /** Whether the open message has waited as long as it may. */
    private boolean hasWaited() {
        long now = System.nanoTime();
        if (!waits) {
            waits = true;
            waitsSince = now;
        }
        return now - waitsSince >= maxDelay;
    }

    /**
     * Returns the number of committed records. Any thread may call this method and those for the other counts.
     *
     * @return the count since the writer was created
     */
    public long records() {
        return records.get();
    }

    /**
     * Returns the number of messages that these records have filled, without the open one.
     *
     * @return the count since the writer was created
     */
    public long messages() {
        return messages.get();
    }

    /**
     * Returns the total length of these messages, with numbers, headers and padding.
     *
     * @return bytes, since the writer was created
     */
    public long bytes() {
        return bytes.get();
    }

    /**
     * Returns a description for logs. Any thread may call it.
     *
     * @return where the records go, and the counts
     */
    @Override
    public String toString() {
        return "records on " + out + ": " + records() + " in " + messages() + " messages of " + bytes() + " bytes";
    }
}
