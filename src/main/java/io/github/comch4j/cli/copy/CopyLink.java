package io.github.comch4j.cli.copy;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.support.program.ProgramException;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.ComchSocket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of {@code comch cp}: what is said goes as messages of the control path, the files' bytes as a stream on
 * the fast path, in one direction. Docs/comch.md has the messages. For one thread.
 */
public final class CopyLink implements AutoCloseable {
    /** Of a consumer's memory: {@code CHUNKS} of them. */
    private static final long PAUSE_NANOS = 10_000_000;

    public static final int CHUNK_BYTES = 256 << 10;

    private static final int CHUNKS = 16;
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration FOR_EVER = Duration.ofDays(1000);
    private static final Duration STANDSTILL = Duration.ofSeconds(60);

    /** A message, as it is written. */
    public interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    /** A message that has come. */
    public record Message(char kind, DataInputStream rest) {}

    private final ComchSocket socket;
    private final EventLoop loop;
    private final Device device;
    private final BooleanSupplier stopped;
    private final ProgressEngine engine = ProgressEngine.create().setTimeout(STANDSTILL);
    private @Nullable ComchInputChannel in;
    private @Nullable ComchOutputChannel out;

    /** {@code stopped}: whether waiting is to end, as the command is. */
    public CopyLink(ComchSocket socket, EventLoop loop, Device device, BooleanSupplier stopped) {
        this.socket = socket;
        this.loop = loop;
        this.device = device;
        this.stopped = stopped;
    }

    public void send(char kind, Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream message = new DataOutputStream(bytes)) {
            message.writeByte(kind);
            writing.to(message);
        } catch (IOException e) {
            throw new ProgramException("too long for a message: " + e.getMessage(), e);
        }
        if (bytes.size() > socket.maxMessageSize()) {
            throw new ProgramException("a name is too long for a message");
        }
        socket.send(bytes.toByteArray(), FOR_EVER);
    }

    public void send(char kind) {
        send(kind, message -> {});
    }

    /** Something went wrong, as a sentence without its full stop. */
    void sendSentence(char kind, String sentence) {
        int most = socket.maxMessageSize() / 4; // of at most three bytes each
        send(kind, message -> message.writeUTF(sentence.length() > most ? sentence.substring(0, most) : sentence));
    }

    Message receive() {
        while (!stopped.getAsBoolean()) {
            byte[] message = socket.receive(MOMENT);
            while (engine.progress()) {
                Thread.onSpinWait(); // a consumer comes to life by it
            }
            if (message != null) {
                return new Message(
                        (char) (message[0] & 0xff),
                        new DataInputStream(new ByteArrayInputStream(Arrays.copyOfRange(message, 1, message.length))));
            }
            if (socket.isInputShutdown()) {
                throw new ProgramException("the other end has nothing more to say");
            }
        }
        throw new Stopped();
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

    /** Of one of these kinds; {@code X} is the other end's refusal, and a message that comes at the wrong time none. */
    public Message expect(String kinds) throws IOException {
        Message message = receive();
        if (kinds.indexOf(message.kind) >= 0) {
            return message;
        }
        if (message.kind == 'X') {
            throw new ProgramException(text(message));
        }
        throw new ProgramException("the other end says what this version does not understand");
    }

    /** What a message has of text: nothing that a terminal would obey. */
    static String text(Message message) throws IOException {
        return printable(message.rest.readUTF());
    }

    static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Where the files' bytes arrive. */
    public ComchInputChannel input() {
        if (in == null) {
            in = ComchInputChannel.open(socket.connection(), engine, device, CHUNKS, CHUNK_BYTES);
        }
        return in;
    }

    /** Opens the stream to a consumer of the other end. */
    public void open(int consumer, int chunkBytes) {
        if (chunkBytes < 1) {
            throw new ProgramException("the other end has chunks of " + chunkBytes + " bytes");
        }
        while (!known(consumer)) {
            checkStopped();
            if (socket.state() != ComchSocket.State.CONNECTED) {
                throw new ProgramException("the other end has left");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        int bytes = Math.min(chunkBytes, CHUNK_BYTES);
        out = ComchOutputChannel.open(socket.connection(), engine, device, consumer, CHUNKS, bytes);
    }

    private boolean known(int consumer) {
        int[] all = loop.<int[], RuntimeException>call(() -> socket.connection().remoteConsumers());
        return Arrays.stream(all).anyMatch(id -> id == consumer);
    }

    ComchOutputChannel output() {
        if (out == null) {
            throw new ProgramException("the other end has not said where the bytes go");
        }
        return out;
    }

    /** Ends the connection; where it was for nothing, so is what had begun. */
    @Override
    public void close() {
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
