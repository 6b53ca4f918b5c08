package io.github.comch4j.cli.copy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.MessageSocket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of {@code comch cp}: what is said goes as messages of the control path, the files as one stream of
 * records on the fast path, in one direction ({@link CopyOutput}, {@link CopyInput}). Docs/comch.md has them all. For
 * one thread.
 *
 * <p>Each end says once a second that it is there, and how much it has said and sent, so that neither waits for what
 * was lost, nor for an end that is no more.
 */
public final class CopyLink implements AutoCloseable {
    /** Of a consumer's memory: {@code CHUNKS} of them. */
    public static final int CHUNK_BYTES = 256 << 10;

    private static final int CHUNKS = 16;
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration PULSE = Duration.ofSeconds(1);
    /** How long a write waits for the other end before it looks what that has said. */
    private static final Duration PATIENCE = Duration.ofMillis(100);
    /** What follows count moments of waiting, so that a process that stood still does not miss the other. */
    private static final int SILENCE = 30_000;

    private static final int LOST = 1_000;
    private static final String LOST_ON_THE_WAY = "part of what was sent has been lost on the way";
    private static final int UNKNOWN = 5_000;
    private static final int ITS_REASON = 500;

    /** A message, as it is written. */
    public interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    /** A message or record that has come; {@code file} is 0 where it is about none. */
    public record Message(char kind, int file, DataInputStream rest) {}

    private final MessageSocket socket;
    private final EventLoop loop;
    private final BooleanSupplier stopped;
    private final ProgressEngine engine = ProgressEngine.create().setTimeout(PATIENCE);
    private final ScheduledExecutorService pulse = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("pulse").daemon().factory());
    private final Deque<Message> come = new ArrayDeque<>();
    private @Nullable ComchInputChannel in;
    private @Nullable ComchOutputChannel out;
    private int said; // messages
    private int heard;
    private int silence; // moments
    private int missing;
    private long written;
    private volatile long sent; // of what was written: nothing of it waits in this end
    private long announced; // by the other end, of its stream
    private String theirReason = ""; // why the other end ends this

    /** {@code stopped}: whether waiting is to end, as the command is. */
    public CopyLink(MessageSocket socket, EventLoop loop, BooleanSupplier stopped) {
        this.socket = socket;
        this.loop = loop;
        this.stopped = stopped;
        long millis = PULSE.toMillis();
        var _ = pulse.scheduleAtFixedRate(this::pulse, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** The command was interrupted. */
    public static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Stopped() {
            super("interrupted", null, false, false);
        }
    }

    void checkStopped() {
        if (stopped.getAsBoolean()) {
            throw new Stopped();
        }
    }

    static ProgramException notUnderstood() {
        return new ProgramException("one end has sent what the other end does not understand");
    }

    /** What a message has of text: nothing that a terminal would obey. */
    static String text(Message message) throws IOException {
        return printable(message.rest.readUTF());
    }

    static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream message = new DataOutputStream(bytes)) {
            writing.to(message);
        } catch (IOException e) {
            throw new ProgramException("too long for a message: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    public void send(char kind, int file, Writing writing) {
        byte[] bytes = bytes(message -> {
            message.writeByte(kind);
            message.writeInt(file);
            writing.to(message);
        });
        if (bytes.length > socket.maxMessageSize()) {
            throw new ProgramException("a name is too long for a message");
        }
        synchronized (pulse) {
            socket.send(bytes, MOMENT.multipliedBy(SILENCE));
            said++;
        }
    }

    private void pulse() {
        synchronized (pulse) {
            send('A', 0, message -> {
                message.writeInt(said);
                message.writeLong(sent);
            });
        }
    }

    public void send(char kind, int file) {
        send(kind, file, message -> {});
    }

    /** Something went wrong, with a file or with all: a sentence without its full stop. */
    void refuse(int file, String why) {
        int most = socket.maxMessageSize() / 4; // of at most three bytes each
        send('X', file, message -> message.writeUTF(why.length() > most ? why.substring(0, most) : why));
    }

    /** The next message, if there is one now. */
    @Nullable
    Message poll() throws IOException {
        take(Duration.ZERO, 0);
        return come.poll();
    }

    /** As {@link #poll}, after a moment of waiting for it at most. */
    @Nullable
    Message pause() throws IOException {
        sent = written;
        take(come.isEmpty() ? MOMENT : Duration.ZERO, 1);
        while (engine.progress()) {
            Thread.onSpinWait(); // streams come to life by it, and chunks are free again
        }
        return come.poll();
    }

    private void take(Duration patience, int moments) throws IOException {
        checkStopped();
        byte[] bytes = socket.receive(patience);
        if (bytes != null) {
            silence = 0;
            heard(bytes);
        } else if (socket.isInputShutdown()) {
            throw new ProgramException("the other end has stopped sending");
        } else if ((silence += moments) > SILENCE) {
            throw new ProgramException("the other end has sent nothing for " + SILENCE / 1000 + " s");
        }
    }

    private void heard(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        Message message = new Message((char) in.readUnsignedByte(), in.readInt(), in);
        if (message.kind == 'A' && in.readInt() != heard) {
            throw new ProgramException(LOST_ON_THE_WAY);
        }
        heard++;
        if (message.kind == 'A') {
            announced = in.readLong();
        } else if (message.kind == 'X' && message.file == 0) {
            theirReason = text(message);
            throw new ProgramException(theirReason);
        } else {
            come.add(message);
        }
    }

    /** Waits for a message, which must be of one of these kinds. */
    public Message expect(String kinds) throws IOException {
        Message message = pause();
        while (message == null) {
            message = pause();
        }
        if (kinds.indexOf(message.kind) < 0) {
            throw notUnderstood();
        }
        return message;
    }

    /** When all is done, waits until the other end leaves. */
    public void awaitEnd() {
        try {
            while (true) {
                var _ = pause();
            }
        } catch (ConnectionClosedException | IOException e) {
            // it has left
        } catch (ProgramException e) {
            if (!theirReason.isEmpty()) {
                throw e;
            }
        }
    }

    /** Where the other end's stream arrives. */
    public ComchInputChannel input() {
        if (in == null) {
            in = ComchInputChannel.open(socket.connection(), engine, CHUNKS, CHUNK_BYTES);
        }
        return in;
    }

    /** Waits a moment for more of it than this. */
    void pause(long before) throws IOException {
        if (pause() != null) {
            throw notUnderstood();
        }
        missing = announced > before && input().available() == 0 ? missing + 1 : 0;
        if (missing > LOST) {
            throw new ProgramException(LOST_ON_THE_WAY);
        }
    }

    /** Reads what is there of it; returns 0 if nothing comes for some time. */
    int read(ByteBuffer target) throws IOException {
        checkStopped();
        int read = 0;
        try {
            read = input().read(target);
        } catch (IOException e) {
            throwUnlessLate(e);
        }
        if (read < 0) {
            throw new ProgramException("the other end has sent less than it announced");
        }
        return read;
    }

    private static void throwUnlessLate(IOException e) throws IOException {
        if (!(e.getCause() instanceof DocaException late) || late.error() != DocaError.TIME_OUT) {
            throw e;
        }
    }

    /** Opens the stream to a consumer of the other end. */
    public void open(int consumer, int chunkBytes) throws IOException {
        if (chunkBytes < 1) {
            throw new ProgramException("the other end announces chunks of " + chunkBytes + " bytes");
        }
        for (int waited = 0; !known(consumer); waited++) {
            if (waited > UNKNOWN || pause() != null) {
                throw new ProgramException("the other end has not announced a consumer for the bytes");
            }
        }
        int bytes = Math.min(chunkBytes, CHUNK_BYTES);
        out = ComchOutputChannel.open(socket.connection(), consumer, engine, CHUNKS, bytes);
    }

    private boolean known(int consumer) {
        int[] all = loop.<int[], RuntimeException>call(() -> socket.connection().remoteConsumers());
        return Arrays.stream(all).anyMatch(id -> id == consumer);
    }

    /** Writes all of it; meanwhile the other end may say why it reads no more. */
    void write(ByteBuffer source) throws IOException {
        written += source.remaining();
        while (source.hasRemaining()) {
            try {
                output().write(source);
            } catch (IOException e) {
                throwUnlessLate(e);
                take(Duration.ZERO, (int) PATIENCE.toMillis());
            }
        }
    }

    private ComchOutputChannel output() {
        if (out == null) {
            throw new ProgramException("the other end has not announced a consumer for the bytes");
        }
        return out;
    }

    /** What one end does with the other. */
    public interface Copying {
        void run() throws IOException;
    }

    /**
     * Copies; if that fails, tells the other end why.
     *
     * @throws ProgramException with a sentence for the user, whatever has happened
     * @throws Stopped if the command was
     */
    public void run(Copying work) {
        try {
            work.run();
        } catch (Stopped e) {
            goodbye("the other end was interrupted");
            throw e;
        } catch (IOException | InvalidPathException | DocaException | IllegalStateException | ProgramException e) {
            String why = reason(e);
            goodbye(why);
            throw e instanceof ProgramException program ? program : new ProgramException(why, e);
        }
    }

    private String reason(Exception e) {
        if (e instanceof DocaException || e.getCause() instanceof DocaException) {
            return theirReason();
        }
        return e instanceof EOFException || e instanceof UTFDataFormatException
                ? notUnderstood().getMessage()
                : ProgramException.reason(e);
    }

    /** What the other end says of a connection that fails, or is about to say. */
    private String theirReason() {
        try {
            for (int moments = 0; moments < ITS_REASON; moments++) {
                take(MOMENT, 0);
            }
        } catch (ConnectionClosedException e) {
            return "the other side has gone";
        } catch (ProgramException e) {
            return e.getMessage();
        } catch (Stopped | DocaException | IOException e) {
            // it says nothing
        }
        return LOST_ON_THE_WAY;
    }

    private void goodbye(String why) {
        if (theirReason.isEmpty()) {
            try {
                refuse(0, why);
            } catch (RuntimeException e) {
                // it has gone
            }
        }
    }

    /** Ends the connection; where it was for nothing, so is what had begun. */
    @Override
    public void close() {
        pulse.shutdownNow();
        try (engine) {
            try (AutoCloseable a = in;
                    AutoCloseable b = out) {
                assert a != b || a == null;
            } catch (Exception e) {
                // the connection has ended, and its streams with it
            }
        } catch (RuntimeException e) {
            // the same
        }
        try {
            socket.close();
        } catch (RuntimeException e) {
            // the same
        }
    }
}
