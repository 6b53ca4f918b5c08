package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes on the fast path, for the thread that owns its engine and no other. It goes to a
 * {@link ComchInputChannel} of the peer: chunks, in order, as fast as the peer reads them, for those who just want to
 * move bytes. Its price is a copy at the sender and one at the receiver; without it, use {@link ComchProducer}.
 *
 * {@snippet file="Pieces.java" region="output"}
 *
 * <p>Other than most channels it is not safe for several threads, and an interrupt does not close it. Not for
 * callbacks.
 */
public final class ComchOutputChannel implements WritableByteChannel {
    static final byte END = 1;

    private final ComchConnection connection;
    private final Engine engine;
    private final int consumerId;
    private final MemoryMap memory;
    private final BufferPool pool;
    private final ComchProducer producer;
    private DocaError failure = DocaError.SUCCESS; // why a chunk that was accepted has failed
    private @Nullable DocaException refusal; // why a chunk was not accepted
    private boolean told; // an exception has told that not all arrives
    private boolean open = true;

    private ComchOutputChannel(
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int consumerId,
            int chunks,
            int chunkSize) {
        this.connection = connection;
        this.engine = Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(engine);
        this.consumerId = consumerId;
        this.memory = MemoryMap.allocate(device, (long) chunks * chunkSize, Access.PCI_READ_ONLY);
        @Nullable BufferPool made = null;
        try {
            made = BufferPool.create(memory, chunks, chunkSize);
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
     * @param engine what it runs on, owned by the calling thread
     * @param device the device of the connection's endpoint, for the chunks' memory
     * @param consumerId the {@linkplain ComchInputChannel#id() id} of the peer's channel, which
     *     {@link ControlPathEndpoint.Builder#onConsumer onConsumer} tells
     * @param chunks how many chunks can be under way, at least 1
     * @param chunkSize bytes of each, at least 1, at most the chunk size of the peer's channel
     * @return the stream, open
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException if DOCA refuses
     */
    public static ComchOutputChannel open(
            ComchConnection connection,
            ProgressEngine engine,
            Device device,
            int consumerId,
            int chunks,
            int chunkSize) {
        return new ComchOutputChannel(connection, engine, device, consumerId, chunks, chunkSize);
    }

    /**
     * Writes all remaining bytes. While the peer does not read, progresses the engine, and that of the connection if it
     * belongs to this thread too.
     *
     * @param source the bytes; after an exception its position tells how many were accepted
     * @return how many there were
     * @throws ClosedChannelException if it is closed
     * @throws InterruptedIOException if the thread is {@linkplain ProgressEngine interrupted} while it waits; it
     *     remains so, and the channel open
     * @throws IOException with a {@link DocaException} as its cause: {@link DocaError#TIME_OUT} if the peer does not
     *     read for {@link ProgressEngine#timeout()}, what a chunk before this failed with,
     *     {@link ConnectionClosedException} if the connection has ended
     * @throws IllegalStateException inside a callback of the engine, if it had to wait
     * @throws WrongThreadException if another thread owns the engine
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        checkOpen();
        int length = source.remaining();
        int limit = source.limit();
        try {
            while (source.position() < limit) {
                source.limit(Math.min(limit, source.position() + (int) pool.slotSize()));
                BufferPool.Slot slot = claim();
                slot.byteBuffer().put(source.duplicate());
                slot.commit(source.remaining());
                send(slot, null);
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

    private void send(BufferPool.Slot slot, @Nullable MemorySegment immediate) throws IOException {
        boolean sent = false;
        try {
            await("the peer to read", () -> trySend(slot, immediate));
            sent = true;
        } finally {
            if (!sent) {
                slot.abort();
            }
        }
    }

    private boolean trySend(BufferPool.Slot slot, @Nullable MemorySegment immediate) {
        if (!connection.isOpen()) {
            return false; // the producer may be closed
        }
        try {
            return (immediate == null
                            ? producer.trySend(slot.buffer(), consumerId)
                            : producer.trySend(slot.buffer(), consumerId, immediate))
                    .accepted();
        } catch (DocaException e) {
            refusal = e;
            return true;
        }
    }

    private void await(String what, BooleanSupplier done) throws IOException {
        if (failure == DocaError.SUCCESS && !done.getAsBoolean()) {
            progressUntil(what, done);
        }
        if (refusal != null) {
            throw refused();
        }
        if (failure != DocaError.SUCCESS) {
            throw failed();
        }
    }

    private void progressUntil(String what, BooleanSupplier done) throws IOException {
        if (connection.isOpen() && engine.isInCallbacks()) {
            throw new IllegalStateException("a stream waits inside a callback of its engine");
        }
        boolean[] reached = new boolean[1];
        BooleanSupplier over =
                () -> failure != DocaError.SUCCESS || (reached[0] = done.getAsBoolean()) || !connection.isOpen();
        if (!Connections.await(connection, engine, over)) {
            throw late(what);
        }
        if (failure == DocaError.SUCCESS && !reached[0]) {
            throw ended();
        }
    }

    /** The peer may leave as soon as it has all; what is in flight then ends by itself, sent or failed. */
    private void awaitCompletions() throws IOException {
        BooleanSupplier over = () -> failure != DocaError.SUCCESS || pool.available() == pool.capacity();
        if (!Connections.await(connection, engine, over)) {
            throw late("the peer to have all");
        }
        if (failure != DocaError.SUCCESS) {
            throw connection.isOpen() ? failed() : ended();
        }
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
                                "writing chunks of up to " + pool.slotSize() + " bytes to " + this
                                        + ", where there is no such consumer, or one with smaller chunks"));
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
     * Whether it is open.
     *
     * @return false from the beginning of closing
     */
    @Override
    public boolean isOpen() {
        return open;
    }

    /**
     * Tells the peer that the stream ends, waits until the peer has all of it, and frees the chunks. The second call
     * does nothing.
     *
     * @throws IOException as {@link #write}, also if a chunk failed that was accepted and {@code write} has not told;
     *     it is closed all the same
     * @throws IllegalStateException inside a callback of the engine; it is still open then. Also if the engine was
     *     closed before and the connection goes on, whose peer is not told then; it is closed all the same
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
                    "closing a stream inside a callback of its engine: return from the callback first");
        }
        open = false;
        try (memory;
                pool;
                producer;
                Arena arena = Arena.ofConfined()) {
            if (connection.isOpen() && failure == DocaError.SUCCESS) {
                send(claim().commit(1), arena.allocateFrom(ValueLayout.JAVA_BYTE, END));
                awaitCompletions();
            }
        } catch (DocaException e) {
            throw Connections.failed(e);
        }
        if (failure != DocaError.SUCCESS && !told) {
            throw failed();
        }
    }

    /**
     * For logs.
     *
     * @return where it goes
     */
    @Override
    public String toString() {
        return "stream to consumer " + consumerId + " on " + connection;
    }
}
