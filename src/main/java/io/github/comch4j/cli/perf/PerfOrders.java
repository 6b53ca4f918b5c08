package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What the two ends tell each other, a line of text in a message, on a connection that carries nothing else. */
final class PerfOrders {
    static final String HELLO = "hello";
    static final String WELCOME = "welcome";
    static final String RUN = "run";
    static final String READY = "ready";
    static final String SENT = "sent";
    static final String STOP = "stop";
    static final String RESULT = "result";
    static final String DONE = "done";
    static final String ERROR = "error";
    static final int VERSION = 1;

    private static final long NAP = 2_000_000; // the threads that are measured need the processors
    private static final int MOST_WAITING = 1000;

    private final ProgressEngine engine;
    private final ComchConnection connection;
    private final Queue<String> inbox = new ArrayDeque<>();
    private boolean gone;

    /** The first word of a line, and the others. */
    record Line(String word, String rest) {}

    PerfOrders(ProgressEngine engine, ComchConnection connection) {
        this.engine = engine;
        this.connection = connection;
    }

    void arrived(MemorySegment message) {
        if (inbox.size() < MOST_WAITING) {
            inbox.add(new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
        }
    }

    void ended() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    boolean hasMore() {
        return !inbox.isEmpty();
    }

    /** The next one, if there is one. */
    @Nullable
    Line next() {
        String text = inbox.poll();
        if (text == null) {
            return null;
        }
        String[] words = text.split(" ", 2);
        return new Line(words[0], words.length == 1 ? "" : words[1]);
    }

    void send(String word, String rest) {
        byte[] text = (rest.isEmpty() ? word : word + " " + rest).getBytes(StandardCharsets.UTF_8);
        await(() -> gone || connection.trySend(text).accepted());
    }

    /** In a handler, where one cannot wait: tries to say why. */
    void refuse(String sentence) {
        connection.trySend((ERROR + " " + sentence).getBytes(StandardCharsets.UTF_8));
    }

    void await(BooleanSupplier condition) {
        await(engine, condition);
    }

    static void await(ProgressEngine engine, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (!engine.progress()) {
                LockSupport.parkNanos(NAP);
            }
        }
    }

    /** Until there is more or the peer has gone, for so long at most. */
    void awaitMore(Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        await(() -> hasMore() || gone || System.nanoTime() - deadline > 0);
    }

    /** The next one; fails if there is none within the time, or it says that the peer has failed. */
    Line awaitLine(String what) {
        awaitMore(PerfConnection.PATIENCE);
        Line line = next();
        if (line == null) {
            throw new ProgramException(
                    gone
                            ? "the server has gone"
                            : "waited " + PerfConnection.PATIENCE.toSeconds() + " s in vain for " + what);
        }
        return checked(line);
    }

    static Line checked(Line line) {
        if (line.word.equals(ERROR)) {
            throw new ProgramException("the server says: " + line.rest);
        }
        return line;
    }

    /** What an end tells of itself. */
    static String self(String library) {
        return "version=" + VERSION + " boot=" + fact("/proc/sys/kernel/random/boot_id") + " host="
                + fact("/proc/sys/kernel/hostname") + " cpus="
                + Runtime.getRuntime().availableProcessors() + " doca=" + library.replace(' ', '_');
    }

    private static String fact(String file) {
        try {
            return Files.readString(Path.of(file)).strip().replace(' ', '_');
        } catch (java.io.IOException e) {
            return "unknown";
        }
    }
}
