package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The connection over which the two halves agree on what to do next. */
final class Coordination implements AutoCloseable {
    /** Small enough for every device. */
    private static final int MESSAGE = 1024;

    private static final int QUEUE = 256;

    /** A message: which probe it is about, by number, and what it says. */
    record Message(int run, String verb, String text) {}

    private final ProgressEngine engine = ProgressEngine.create();
    private final Queue<Message> arrived = new ArrayDeque<>();
    private @Nullable ComchConnection connection;
    private boolean lost;

    private Coordination() {}

    /** On the DPU: waits for the host, however long it takes. */
    static Coordination ofServer(Device device, Representor function, String name, Runnable up) {
        Coordination made = new Coordination();
        try {
            ComchServer.Builder settings =
                    ComchServer.builder(made.engine, device, function, name).onConnected(made::connected);
            ComchServer _ = made.configured(settings).start();
            up.run();
            while (made.connection == null) {
                made.progress();
            }
            return made;
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    /** On the host. */
    static Coordination ofClient(Device device, String name, Duration timeout) {
        Coordination made = new Coordination();
        try {
            ComchClient.Builder settings = ComchClient.builder(made.engine, device, name);
            made.connection = made.configured(settings).connect(timeout).connection();
            return made;
        } catch (DocaException e) {
            made.close();
            if (e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT) {
                throw new ProgramException(
                        "no other half accepted this one in " + timeout.toSeconds()
                                + " s: is \"comch conformance --side dpu\" running on the DPU, for this function?",
                        e);
            }
            throw e;
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    private <B extends ControlPathEndpoint.Builder<B>> B configured(B settings) {
        return settings.maxMessageSize(MESSAGE)
                .receiveQueueSize(QUEUE)
                .onMessage((from, bytes) -> {
                    if (from == connection) {
                        arrived.add(parse(new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)));
                    }
                })
                .onSendFailed((to, error) -> lost |= to == connection)
                .onDisconnected(which -> lost |= which == connection);
    }

    private void connected(ComchConnection one) {
        if (connection == null) {
            connection = one; // the first; another one gets no answer
        }
    }

    private static Message parse(String text) {
        String[] words = text.split(" ", 3);
        try {
            return new Message(Integer.parseInt(words[0]), words[1], words[2]);
        } catch (RuntimeException e) {
            throw new ProgramException("the other end is not a half of this kit", e);
        }
    }

    boolean isLost() {
        return lost;
    }

    void send(int run, String verb, String text) {
        byte[] bytes = (run + " " + verb + " " + text).getBytes(StandardCharsets.UTF_8);
        if (lost || connection == null) {
            return;
        }
        try {
            connection.send(bytes.length > MESSAGE ? Arrays.copyOf(bytes, MESSAGE) : bytes);
        } catch (DocaException e) {
            lost = true;
        }
    }

    /** The next message; null if there is none. Sleeps for a moment then: the workers need the processors. */
    @Nullable
    Message poll() {
        if (arrived.isEmpty()) {
            progress();
        }
        return arrived.poll();
    }

    /** Puts back what is for later. */
    void putBack(Message message) {
        arrived.add(message);
    }

    private void progress() {
        if (!engine.progress()) {
            Stage.sleep(1);
        }
    }

    /** Waits for the next one. */
    Message await(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (true) {
            Message message = poll();
            if (message != null) {
                return message;
            }
            if (lost || System.nanoTime() - end > 0) {
                throw new ProgramException("the other half has gone");
            }
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
