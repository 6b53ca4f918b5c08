package io.github.comch4j.cli.sample;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Either end of a sample's conversation, with the sizes that DOCA's samples use. Where they have an engine for each
 * context, this has one for all.
 */
public abstract class SampleEnd {
    private static final int RECEIVE_QUEUE = 10;
    private static final int SEND_TASKS = 1024;
    private static final Duration SILENCE = Duration.ofSeconds(30);

    final SampleOptions options;
    private final String path;
    private final Queue<String> messages = new ArrayDeque<>();
    ProgressEngine engine;
    ProgressWait patience;
    Device device;
    ControlPathEndpoint endpoint;
    /** Of a server: the first client that has spoken. */
    ComchConnection peer;
    /** Whether the peer has all that it waits for. */
    boolean mayLeave;

    private boolean refused; // a client's only attempt

    /** {@code path} is the part of the server's name that tells the two samples apart. */
    SampleEnd(SampleOptions options, String path) {
        this.options = options;
        this.path = path;
    }

    /** The conversation, when there is a connection, and on a server the client's first message. */
    abstract void converse();

    /** A message of the peer; called before {@link #nextMessage} returns it. */
    void heard(String message) {}

    /** Settings that only one sample needs. */
    void configure(ControlPathEndpoint.Builder<?> settings) {}

    /** The conversation has failed: tells the peer, if the sample does so. */
    void giveUp() {}

    public final void run() {
        try (ProgressEngine created = ProgressEngine.create()) {
            engine = created;
            patience = new ProgressWait(engine, SILENCE);
            if (options.server()) {
                serve();
            } else {
                connect();
            }
        }
        System.out.println("Finished");
    }

    private void serve() {
        try (Device dpu = open();
                Representor function = dpu.openRepresentor(options.functionOf(dpu));
                ComchServer server = configured(ComchServer.builder(engine, dpu, function, options.serverName(path)))
                        .start()) {
            begin(server);
            System.out.println(dpu.address() + " serves " + function.address() + " as \"" + server.name() + "\"");
            patience.awaitForever(() -> peer != null);
            end();
        }
    }

    private void connect() {
        try (Device host = open();
                ComchClient client = configured(ComchClient.builder(engine, host, options.serverName(path))
                                .onRefused(() -> refused = true))
                        .start()) {
            begin(client);
            patience.await("the server", () -> client.isConnected() || refused);
            if (refused) {
                throw refused(options.serverName(path), host.address(), client.refusal());
            }
            System.out.println(host.address() + " is connected to \"" + client.name() + "\"");
            peer = client.connection();
            end();
        }
    }

    static ProgramException refused(String server, PciAddress device, @Nullable DocaException refusal) {
        return ProgramException.refused(server, device, refusal, "it is to be started first");
    }

    private Device open() {
        PciAddress address = options.deviceHere();
        device = options.server() ? Device.openDpu(address) : Device.openHost(address);
        return device;
    }

    private <B extends ControlPathEndpoint.Builder<B>> B configured(B settings) {
        configure(settings);
        return settings.maxMessageSize(Math.toIntExact(Capabilities.of(device).maxMessageSize()))
                .receiveQueueSize(RECEIVE_QUEUE)
                .sendTasks(SEND_TASKS)
                .onMessage(this::received)
                .onDisconnected(this::disconnected);
    }

    private void begin(ControlPathEndpoint created) {
        endpoint = created;
        checkText();
    }

    /** Whether the text can be sent at all. */
    void checkText() {}

    private void end() {
        try {
            converse();
        } catch (DocaException e) {
            ProgramException reason = patience.explain(e);
            giveUp();
            throw reason;
        } catch (ProgramException e) {
            giveUp();
            throw e;
        }
    }

    private void received(ComchConnection connection, MemorySegment bytes) {
        String message = string(bytes);
        print(message);
        if (peer == null) {
            peer = connection;
        }
        if (peer == connection) {
            messages.add(message);
            heard(message);
        } else {
            System.out.println("It is of another client, and not answered");
        }
    }

    private void disconnected(ComchConnection connection) {
        if (peer == connection && mayLeave) {
            System.out.println("The client has left");
        } else if (peer == connection) {
            patience.fail("the " + (options.server() ? "client" : "server") + " has gone");
        } else if (options.server()) {
            System.out.println("A client has left that was not being served");
        }
    }

    /** The next message that was not asked for yet; those that arrive are printed in any case. */
    final String nextMessage() {
        patience.await("a message", () -> !messages.isEmpty());
        return messages.remove();
    }

    static String string(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** The line that the samples in C print, too; what a terminal must not be trusted with is left out. */
    static void print(String text) {
        System.out.println("Message received: '" + text.replaceAll("\\p{Cntrl}", "?") + "'");
    }
}
