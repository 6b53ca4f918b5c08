package io.github.comch4j.cli.program;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.io.MessageSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Lines of text over a socket, in which the two ends of a test agree on what to do next. For one thread. */
public final class Dialog implements AutoCloseable {
    private static final Duration NAP = Duration.ofMillis(2); // what is tested needs the processors
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final MessageSocket socket;
    private @Nullable Line arrived;
    private boolean gone;

    /** A line: what it is about, and the rest. */
    public record Line(String word, String rest) {
        public static Line of(String text) {
            String[] words = text.split(" ", 2);
            return new Line(words[0], words.length == 1 ? "" : words[1]);
        }

        @Override
        public String toString() {
            return rest.isEmpty() ? word : word + " " + rest;
        }
    }

    public Dialog(MessageSocket socket) {
        this.socket = socket;
    }

    /** {@code advice}: what to do if there is no server. */
    public static Dialog connect(EventLoop loop, Device device, String name, Duration patience, String advice) {
        return new Dialog(ProgramException.connecting(
                name, device.address(), advice, () -> MessageSocket.connect(loop, device, name, patience)));
    }

    /** Sends a line, as far as it has room in a message; does nothing if the other end has gone. */
    public void send(String word, String rest) {
        byte[] text = new Line(word, rest).toString().getBytes(StandardCharsets.UTF_8);
        try {
            if (!gone) {
                socket.send(Arrays.copyOf(text, Math.min(text.length, socket.maxMessageSize())), PATIENCE);
            }
        } catch (DocaException e) {
            gone = true;
        }
    }

    /** Whether the other end is not there any more, or does not listen. */
    public boolean isGone() {
        return gone;
    }

    public boolean hasMore() {
        return arrived != null;
    }

    /** The next line, or null if none has arrived while somebody waited. */
    public @Nullable Line next() {
        Line line = arrived;
        arrived = null;
        return line;
    }

    /** Makes this line, which was the next one, the next one again. */
    public void putBack(Line line) {
        arrived = line;
    }

    /** The next line; null if none comes in this time, or the other end has gone. */
    public @Nullable Line next(Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        await(() -> hasMore() || gone || System.nanoTime() - deadline > 0);
        return next();
    }

    /** Waits until it is so; lines arrive meanwhile. */
    public void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (hasMore() || gone) {
                ToolThreads.pause();
            } else {
                receive();
            }
        }
    }

    private void receive() {
        try {
            byte[] text = socket.receive(NAP);
            if (text != null) {
                arrived = Line.of(new String(text, StandardCharsets.UTF_8));
            } else {
                gone = socket.isInputShutdown();
            }
        } catch (ConnectionClosedException e) {
            gone = true;
        }
    }

    public int maxMessageSize() {
        return socket.connection().endpoint().maxMessageSize();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (DocaException e) {
            // the other end has gone, and does not have the last lines
        } catch (MissingFunctionException e) {
            // DOCA 2.5 and 2.6: a server's connection ends with the server, or its client
        }
    }
}
