package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.link.Loops;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes on the fast path, to a {@link ComchInputChannel} of the peer. Only the thread that owns its engine
 * may use it. The channel sends chunks in order, as fast as the peer reads them. It costs one copy at the sender and
 * one at the receiver; to avoid both, use {@link ComchProducer}.
 *
 * {@snippet file="Pieces.java" region="output"}
 *
 * <p>The peer reads the stream without gaps. {@link #close} waits until the peer confirms that everything has arrived.
 * If data were lost, {@code write} or {@code close} throws an exception, and so does the peer's {@code read} at the
 * position of the missing data. The channel sends nothing a second time.
 *
 * <p>Unlike most channels, this one is not safe for several threads, and an interrupt does not close it. It is not
 * intended for callbacks.
 */
public final class ComchOutputChannel implements WritableByteChannel {
    /** After this time the end is said again. */
    private static final Duration REPEAT = Duration.ofSeconds(1);
    /** The word of a peer whose channel has gone, and saying that this stream is cut, are worth so much waiting. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private final ComchConnection connection;
    private final Engine engine;
    private final int consumerId;
    private final AtomicLong heard; // the peer's word about this stream
    private final int chunkSize;
    private final MemoryMap memory;
    private final BufferPool pool;
    private final ComchProducer producer;
    private long accepted; // bytes of the stream
    private DocaError failure = DocaError.SUCCESS; // why a chunk that was accepted has failed
    private @Nullable DocaException refusal; // why a chunk was not accepted
    private boolean told; // an exception has told that not all arrives
    private boolean open = true;

    private ComchOutputChannel(
            ComchConnection connection, int consumerId, ProgressEngine engine, int chunks, int chunkSize) {
        this.connection = connection;
        this.engine = Loops.engineOf(engine);
        this.consumerId = consumerId;
        this.heard = Loops.insideOf(connection).heard(consumerId);
        this.chunkSize = chunkSize;
        long size = ChunkFormat.size(chunkSize);
        this.memory = MemoryMap.allocate(connection.device(), chunks * size, Access.PCI_READ_ONLY);
        @Nullable BufferPool made = null;
        try {
            made = BufferPool.create(memory, chunks, size);
            this.pool = made;
            this.producer = connection
                    .producer(engine)
                    .tasks(chunks)
                    .onCompletion((sender, buffer, status) -> {
                        pool().slotOf(buffer).release();
                        if (status != DocaError.SUCCESS && failure == DocaError.SUCCESS) {
                            failure = status;
                        }
                    })
                    .start();
        } catch (RuntimeException | Error e) {
            if (made != null) {
                made.close();
            }
            memory.close();
            throw e;
        }
    }

    private BufferPool pool() {
        return pool;
    }

    /**
     * Opens a stream.
     *
     * @param connection the connection
     * @param consumerId the {@linkplain ComchInputChannel#id() id} of the peer's channel, which
     *     {@link ControlPathEndpoint.Builder#onConsumer onConsumer} reports
     * @param engine the engine that the channel runs on, owned by the calling thread
     * @param chunks how many chunks can be in flight, at least 1
     * @param chunkSize the size of each chunk in bytes, at least 1, at most the chunk size of the peer's channel;
     *     without the 8 bytes for its position
     * @return the stream, open
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException if DOCA refuses
     */
    public static ComchOutputChannel open(
            ComchConnection connection, int consumerId, ProgressEngine engine, int chunks, int chunkSize) {
        return new ComchOutputChannel(connection, consumerId, engine, chunks, chunkSize);
    }

    /**
     * Writes all remaining bytes. While the peer does not read, progresses the engine, and the connection's engine if
     * this thread owns it too.
     *
     * @param source the bytes; after an exception its position shows how many were accepted
     * @return the number of bytes written
     * @throws ClosedChannelException if the channel is closed
     * @throws InterruptedIOException if the thread is {@linkplain ProgressEngine interrupted} while it waits; it
     *     remains interrupted, and the channel remains open
     * @throws IOException with a {@link DocaException} as its cause: {@link DocaError#TIME_OUT} if the peer does not
     *     read for {@link ProgressEngine#timeout()}, the error of an earlier chunk that failed,
     *     {@link DocaError#IO_FAILED} if the peer did not get an earlier chunk, {@link ConnectionClosedException} if
     *     the connection has ended
     * @throws IllegalStateException inside a callback of the engine, if the call would have to wait
     * @throws WrongThreadException if another thread owns the engine
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        checkOpen();
        int length = source.remaining();
        int limit = source.limit();
        try {
            while (source.position() < limit) {
                source.limit(Math.min(limit, source.position() + chunkSize));
                int chunk = source.remaining();
                BufferPool.Slot slot = claim();
                slot.byteBuffer().put(source.duplicate());
                send(slot, chunk, ChunkFormat.DATA);
                accepted += chunk;
                source.position(source.limit());
            }
        } catch (InterruptedIOException e) {
            e.bytesTransferred = length - (limit - source.position());
            throw e;
        } finally {
            source.limit(limit);
        }
        return length;
    }

    private BufferPool.Slot claim() throws IOException {
        await("a free chunk", () -> pool.available() > 0);
        return pool.tryAcquire();
    }

    /** Sends a chunk of so many bytes, which are there already. */
    private void send(BufferPool.Slot slot, int length, int kind) throws IOException {
        boolean sent = false;
        try {
            seal(slot, length, kind);
            await("the peer to read", () -> trySend(slot));
            sent = true;
        } finally {
            if (!sent) {
                slot.abort();
            }
        }
    }

    private void seal(BufferPool.Slot slot, int length, int kind) {
        ChunkFormat.seal(slot.segment(), length, ChunkFormat.word(kind, accepted));
        slot.commit(length + ChunkFormat.TRAILER);
    }

    private boolean trySend(BufferPool.Slot slot) {
        if (!connection.isOpen()) {
            return false; // the producer may be closed
        }
        try {
            return producer.trySend(slot.buffer(), consumerId).accepted();
        } catch (DocaException e) {
            refusal = e;
            return true;
        }
    }

    private void await(String what, BooleanSupplier done) throws IOException {
        boolean reached = !hasFailed() && !hasLost() && (done.getAsBoolean() || progressUntil(what, done));
        if (reached && refusal == null) {
            return; // what is heard from now on, the next call tells: a chunk may be in flight
        }
        if (hasLost()) {
            throw lost();
        }
        throw refusal != null ? refused() : failed();
    }

    /** Returns whether it is done; if not, something has failed or is lost. */
    private boolean progressUntil(String what, BooleanSupplier done) throws IOException {
        if (connection.isOpen() && engine.isInCallbacks()) {
            throw new IllegalStateException("a stream cannot wait inside a callback of its engine");
        }
        boolean[] reached = new boolean[1];
        BooleanSupplier over =
                () -> hasFailed() || hasLost() || (reached[0] = done.getAsBoolean()) || !connection.isOpen();
        if (!Connections.await(connection, engine, over)) {
            throw late(what);
        }
        if (!hasFailed() && !hasLost() && !reached[0]) {
            throw ended();
        }
        return reached[0];
    }

    private boolean hasFailed() {
        return failure != DocaError.SUCCESS;
    }

    /** Whether the peer has said that it does not have what was sent. */
    private boolean hasLost() {
        long word = heard.get();
        return word != 0
                && (ChunkFormat.kind(word) == ChunkFormat.GAP
                        || (ChunkFormat.kind(word) == ChunkFormat.LEFT && ChunkFormat.position(word) != accepted));
    }

    /** Whether the peer has said that it has all. */
    private boolean hasArrived() {
        long word = heard.get();
        return (ChunkFormat.kind(word) == ChunkFormat.WHOLE || ChunkFormat.kind(word) == ChunkFormat.LEFT)
                && ChunkFormat.position(word) == accepted;
    }

    /** Says that the stream ends, and waits for the peer's word that it has all. It may leave as soon as it has. */
    private void end() throws IOException {
        send(claim(), 0, ChunkFormat.END);
        long deadline = engine.deadline();
        BooleanSupplier over = () -> hasArrived() || hasLost() || hasFailed() || !connection.isOpen();
        while (!Connections.await(connection, engine, () -> over.getAsBoolean() || hasGone(), next(deadline))) {
            if (System.nanoTime() - deadline > 0) {
                throw late("the peer to receive everything");
            }
            trySendMark(ChunkFormat.END); // again: it, or the peer's word, may have been lost
        }
        boolean told = over.getAsBoolean() // else its word may be on its way
                || Connections.await(connection, engine, over, Nanos.deadline(LINGER));
        if (hasLost() || !told) {
            throw lost();
        }
        if (!hasArrived()) {
            throw connection.isOpen() ? failed() : ended();
        }
    }

    private static long next(long deadline) {
        long repeat = Nanos.deadline(REPEAT);
        return repeat - deadline < 0 ? repeat : deadline;
    }

    /** Whether the peer's channel has ended, and perhaps without a word. */
    private boolean hasGone() {
        return heard.get() != 0;
    }

    /** Tells the peer that not all comes, if that is soon possible: else its time, or the connection, ends. */
    private void cut() {
        long deadline = System.nanoTime() + Math.min(Nanos.of(LINGER), Nanos.of(engine.timeout()));
        try {
            BooleanSupplier over = () -> trySendMark(ChunkFormat.CUT) || !connection.isOpen();
            var _ = Connections.await(connection, engine, over, deadline);
        } catch (InterruptedIOException e) {
            return; // the caller reports it, or has told already what failed
        }
    }

    /** Sends a chunk without data, if there is room. Returns whether no more is to be done. */
    private boolean trySendMark(int kind) {
        BufferPool.Slot slot = pool.tryAcquire();
        if (slot == null) {
            return false;
        }
        seal(slot, 0, kind);
        boolean over = trySend(slot);
        if (!over || refusal != null) {
            slot.abort();
        }
        refusal = null; // the peer's channel has gone: its word, or its event, tells
        return over;
    }

    private IOException late(String what) {
        return Connections.failed(Failures.refused(
                DocaError.TIME_OUT,
                TaskCalls.SUBMIT_NAME,
                "waiting " + Failures.text(engine.timeout()) + " for " + what + " on " + this));
    }

    private IOException ended() {
        told = true;
        return Connections.ended(connection, TaskCalls.SUBMIT_NAME, "writing to " + this);
    }

    private IOException refused() {
        DocaException e = refusal;
        refusal = null;
        told |= e instanceof ConnectionClosedException;
        return Connections.failed(
                e.error() != DocaError.INVALID_VALUE
                        ? e
                        : Failures.refused(
                                e.code(),
                                e.function(),
                                "writing chunks of up to " + chunkSize + " bytes to " + this
                                        + ": there is no such consumer, or it takes only smaller chunks"));
    }

    /** The peer has not got all, by its own word, or because its channel has ended before. */
    private IOException lost() {
        told = true;
        long word = heard.get();
        String why = ChunkFormat.kind(word) == ChunkFormat.GAP
                ? ", where data are missing after the first " + ChunkFormat.position(word) + " bytes"
                : ChunkFormat.kind(word) == ChunkFormat.LEFT
                        ? ", which was closed when " + ChunkFormat.position(word) + " bytes had been read"
                        : ", which was closed before its end";
        return Connections.failed(
                Failures.refused(DocaError.IO_FAILED, TaskCalls.SUBMIT_NAME, "writing to " + this + why));
    }

    private IOException failed() {
        told = true;
        return Connections.failed(Failures.refused(failure, TaskCalls.SUBMIT_NAME, "writing to " + this));
    }

    private void checkOpen() throws ClosedChannelException {
        engine.checkOwner();
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Returns whether the channel is open.
     *
     * @return false from the beginning of closing
     */
    @Override
    public boolean isOpen() {
        return open;
    }

    /**
     * Closes the stream: reports its end to the peer, waits until the peer confirms that everything has arrived, and
     * frees the chunks. When this method returns normally, everything written is in the peer's channel, or was read
     * there. The peer answers during progress of its engine and of its connection's engine. If an operation failed, the
     * peer gets an exception instead of the end of the stream. A second call does nothing.
     *
     * @throws IOException as {@link #write}; also if a chunk that was accepted failed and {@code write} has not
     *     reported it, or if the peer has a gap or closed its channel earlier; this channel is closed in any case
     * @throws IllegalStateException inside a callback of the engine; the channel is then still open. Also if the engine
     *     was closed earlier and the connection continues; the peer is then not informed, but the channel is closed
     * @throws WrongThreadException if another thread owns the engine
     */
    @Override
    public void close() throws IOException {
        if (!open) {
            return;
        }
        if (!engine.isClosed()) { // which has ended the producer, and not freed the chunks
            engine.checkOwner();
        }
        if (engine.isInCallbacks()) {
            throw new IllegalStateException(
                    "a stream cannot be closed inside a callback of its engine; return from the callback first");
        }
        open = false;
        try (memory;
                pool;
                producer) {
            if (connection.isOpen() && !hasArrived()) {
                endOrCut();
            }
        } catch (DocaException e) {
            throw Connections.failed(e);
        }
        if (!told && !hasArrived() && (hasFailed() || hasLost())) {
            throw hasFailed() ? failed() : lost();
        }
    }

    private void endOrCut() throws IOException {
        boolean whole = false;
        try {
            if (!hasFailed() && !hasLost()) {
                end();
                whole = true;
            }
        } finally {
            if (!whole && !hasLost() && connection.isOpen() && !engine.isClosed()) {
                cut();
            }
        }
    }

    /**
     * Returns a description for logs.
     *
     * @return where the stream goes
     */
    @Override
    public String toString() {
        return "stream to consumer " + consumerId + " on " + connection;
    }
}
