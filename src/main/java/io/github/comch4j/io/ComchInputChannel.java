package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.link.Loops;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a {@link ComchOutputChannel}. Only the thread that owns its engine may use it. A chunk is not
 * posted again until the program has read it, so the sender waits for the reader.
 *
 * {@snippet file="Pieces.java" region="input"}
 *
 * <p>The program reads the stream without gaps. Each chunk contains its position in the stream. If a chunk is missing,
 * {@link #read} first returns the data before the gap, then throws an exception that says how much is missing. The
 * writer is informed as well. A result of -1 means that everything that was written has arrived. If the stream ends
 * without the writer's confirmation, it was cut off, and {@link #read} throws an exception, too.
 *
 * <p>Unlike most channels, this one is not safe for several threads, and an interrupt does not close it. Except for
 * opening, it is not intended for callbacks.
 */
public final class ComchInputChannel implements ReadableByteChannel {

    private final ComchConnection connection;
    private final Engine engine;
    private final MemoryMap memory;
    private final ComchConsumer consumer;
    private final ArrayDeque<Buffer> unread;
    private long position; // in the first unread buffer
    private long received; // bytes of the stream that have come, without a gap
    private boolean ended;
    private @Nullable String cut; // why nothing comes behind what is unread
    private boolean open = true;

    private ComchInputChannel(ComchConnection connection, ProgressEngine engine, int chunks, int chunkSize) {
        this.connection = connection;
        this.engine = Loops.engineOf(engine);
        this.unread = new ArrayDeque<>(chunks);
        long size = ChunkFormat.size(chunkSize);
        this.memory = MemoryMap.allocate(connection.device(), chunks * size, Access.PCI_READ_WRITE);
        try {
            this.consumer = connection
                    .consumer(engine, memory)
                    .buffers(chunks, size)
                    .onReceive((receiver, buffer, producerId, immediate) -> arrived(receiver, buffer))
                    .onReceiveFailed((receiver, buffer, error) -> failed(receiver, buffer))
                    .start(); // an end of the connection shows in its state
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /** A message has come. Its buffer is posted again unless it is kept. */
    private void arrived(ComchConsumer receiver, Buffer buffer) {
        long word = ChunkFormat.wordOf(buffer.segment(), buffer.length());
        long place = ChunkFormat.position(word);
        if (ended || cut != null) {
            if (ChunkFormat.kind(word) == ChunkFormat.END) {
                answer(receiver); // the writer has not heard yet
            }
            return;
        }
        switch (ChunkFormat.kind(word)) {
            case ChunkFormat.DATA -> {
                if (place == received) {
                    receiver.keep();
                    unread.add(buffer);
                    received += buffer.length() - ChunkFormat.TRAILER;
                } else {
                    gap(receiver, place);
                }
            }
            case ChunkFormat.END -> {
                ended = place == received;
                if (ended) {
                    answer(receiver);
                } else {
                    gap(receiver, place);
                }
            }
            case ChunkFormat.CUT -> cut("its writer could not send all of " + place + " bytes");
            default -> cut("the peer has sent data that are not a chunk of a ComchOutputChannel");
        }
    }

    private void gap(ComchConsumer receiver, long place) {
        cut(
                place > received
                        ? place - received + " bytes are missing"
                        : "a chunk of another stream has arrived, from its byte " + place);
        answer(receiver);
    }

    private void cut(String why) {
        cut = why + ", after the first " + received + " bytes";
    }

    private void answer(ComchConsumer receiver) {
        say(receiver, ended ? ChunkFormat.WHOLE : ChunkFormat.GAP, received);
    }

    private void say(ComchConsumer receiver, int kind, long place) {
        Loops.insideOf(connection).say(receiver.id(), ChunkFormat.word(kind, place));
    }

    /** A buffer was not posted, or comes back as the consumer ends. */
    private void failed(ComchConsumer receiver, @Nullable Buffer buffer) {
        if (buffer != null && receiver.isRunning() && open && !buffer.isClosed()) {
            try {
                receiver.tryPost(buffer.clear());
            } catch (ConnectionClosedException e) {
                return; // which the next read tells
            }
        }
    }

    /**
     * Opens the receiving end of a stream. Progress of its engine and of the connection's engine starts it;
     * {@link #read} makes such progress. The channel answers the writer with a message of 16 bytes on the control path,
     * which neither program sees.
     *
     * @param connection the connection
     * @param engine the engine that the channel runs on, owned by the calling thread
     * @param chunks how many chunks can wait to be read, at least 1
     * @param chunkSize the size of each chunk in bytes, at least 1, without the 8 bytes for its position
     * @return the stream, open
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException if DOCA refuses
     */
    public static ComchInputChannel open(ComchConnection connection, ProgressEngine engine, int chunks, int chunkSize) {
        return new ComchInputChannel(connection, engine, chunks, chunkSize);
    }

    /**
     * Returns the id that the peer's {@link ComchOutputChannel} writes to.
     *
     * @return the consumer's id
     */
    public int id() {
        return consumer.id();
    }

    /**
     * Returns how many bytes can be read without waiting.
     *
     * @return bytes that have arrived
     */
    public long available() {
        engine.checkOwner();
        return isGone() ? 0 : received - read();
    }

    /** How many bytes of the stream the program has read. */
    private long read() {
        long waiting = -position;
        for (Buffer buffer : unread) {
            waiting += buffer.length() - ChunkFormat.TRAILER;
        }
        return received - waiting;
    }

    /**
     * Reads the available bytes, at least one. While none are available, progresses the engine, and the connection's
     * engine if this thread owns it too.
     *
     * @param target the buffer to read into, with room for at least one byte
     * @return the number of bytes read; -1 at the end of the stream; 0 if there is no room
     * @throws ClosedChannelException if the channel is closed
     * @throws InterruptedIOException if the thread is {@linkplain ProgressEngine interrupted} while it waits; it
     *     remains interrupted, and the channel remains open
     * @throws IOException with a {@link DocaException} as its cause: {@link DocaError#TIME_OUT} if nothing arrives for
     *     {@link ProgressEngine#timeout()}, {@link DocaError#IO_FAILED} at a gap in the stream,
     *     {@link ConnectionClosedException} if the connection has ended before the stream, or the error with which DOCA
     *     refuses
     * @throws IllegalStateException inside a callback of the engine, if the call would have to wait
     * @throws WrongThreadException if another thread owns the engine
     */
    @Override
    public int read(ByteBuffer target) throws IOException {
        engine.checkOwner();
        if (!open) {
            throw new ClosedChannelException();
        }
        if (!target.hasRemaining()) {
            return 0;
        }
        if (isGone()) {
            throw Connections.ended(connection, PeCalls.PROGRESS_NAME, "reading from " + this);
        }
        if (unread.isEmpty() && !await()) {
            return -1;
        }
        int before = target.position();
        while (target.hasRemaining() && !unread.isEmpty()) {
            take(target);
        }
        return target.position() - before;
    }

    /** The consumer was closed by this process, and what was kept with it: not by its connection's end. */
    private boolean isGone() {
        return consumer.isClosed() && !unread.isEmpty() && unread.getFirst().isClosed();
    }

    private void take(ByteBuffer target) throws IOException {
        Buffer first = unread.getFirst();
        long size = first.length() - ChunkFormat.TRAILER;
        long length = Math.min(target.remaining(), size - position);
        target.put(first.segment().asSlice(position, length).asByteBuffer());
        position += length;
        if (position == size) {
            unread.removeFirst();
            position = 0;
            post(first);
        }
    }

    private void post(Buffer buffer) throws IOException {
        if (consumer.isRunning()) {
            try {
                consumer.tryPost(buffer.clear());
            } catch (ConnectionClosedException e) {
                return; // the data that have arrived can still be read; the read after them reports the end
            } catch (DocaException e) {
                throw Connections.failed(e);
            }
        }
    }

    /** Returns whether there is something to read, or this is the end. */
    private boolean await() throws IOException {
        BooleanSupplier over = () -> !unread.isEmpty() || ended || cut != null || !connection.isOpen();
        if (engine.isInCallbacks() && !ended && cut == null) {
            throw new IllegalStateException("a stream cannot wait inside a callback of its engine");
        }
        if (!Connections.await(connection, engine, over)) {
            throw Connections.failed(Failures.refused(
                    DocaError.TIME_OUT,
                    PeCalls.PROGRESS_NAME,
                    "waiting " + Failures.text(engine.timeout()) + " for data on " + this));
        }
        if (unread.isEmpty() && cut != null) {
            throw Connections.failed(
                    Failures.refused(DocaError.IO_FAILED, PeCalls.PROGRESS_NAME, "reading from " + this + ": " + cut));
        }
        if (unread.isEmpty() && !ended) {
            throw Connections.ended(connection, PeCalls.PROGRESS_NAME, "reading from " + this);
        }
        return !unread.isEmpty();
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
     * Closes the channel, even if unread data remain, and frees the chunks. Inside a callback of the engine, this
     * happens after the callback has returned. If the writer has not closed its channel yet, it is informed how much
     * was read. A second call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IOException with a {@link DocaException} as its cause, if the consumer does not end in time
     */
    @Override
    public void close() throws IOException {
        if (!open) {
            return;
        }
        if (!engine.isClosed()) { // which has ended the consumer, and not freed the chunks
            engine.checkOwner();
        }
        open = false;
        if (received > 0 && !ended && cut == null && !consumer.isClosed()) { // else it has nothing to say
            say(consumer, ChunkFormat.LEFT, read());
        }
        try (memory;
                consumer) {
            unread.clear();
        } catch (DocaException e) {
            throw Connections.failed(e);
        }
    }

    /**
     * Returns a description for logs.
     *
     * @return where the stream comes from
     */
    @Override
    public String toString() {
        return "stream at consumer " + consumer.id() + " on " + connection;
    }
}
