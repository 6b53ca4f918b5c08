package io.github.comch4j.bench;

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
import java.time.Duration;
import java.util.function.BiConsumer;

/** A server or client with its device, and signals between the two: messages of one byte. */
final class Endpoint implements AutoCloseable {
    static final byte NONE = 0;
    static final byte STOP = 'S';
    static final byte DONE = 'D';
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Loop loop;
    final ProgressEngine engine;
    final Device device;
    private final Representor representor; // of a server
    private final ControlPathEndpoint endpoint;
    ComchConnection connection;
    int connections;
    int remoteConsumer;
    byte signal;

    private Endpoint(
            Options options,
            Loop loop,
            ProgressEngine engine,
            boolean server,
            int depth,
            BiConsumer<ComchConnection, MemorySegment> onMessage) {
        this.loop = loop;
        this.engine = engine;
        if (server) {
            device = Device.openDpu(PciAddress.of(options.dpu()));
            representor = device.openRepresentor(PciAddress.of(options.function()));
            endpoint = settings(ComchServer.builder(engine, device, representor, options.name()), depth, onMessage)
                    .onConnected(opened -> {
                        connection = opened;
                        connections++;
                    })
                    .onDisconnected(ended -> {
                        connections--;
                        if (connection == ended) {
                            connection = null;
                        }
                    })
                    .start();
        } else {
            device = Device.openHost(PciAddress.of(options.function()));
            representor = null;
            ComchClient.Builder settings =
                    settings(ComchClient.builder(engine, device, options.name()), depth, onMessage);
            ComchClient client;
            if (options.form() == Options.Form.ONE) { // its server is in this thread: both must make progress
                client = settings.start();
                loop.waitFor("the server", client::isConnected);
            } else {
                client = settings.connect(PATIENCE);
            }
            endpoint = client;
            connection = client.connection();
            connections = 1;
        }
    }

    private <B extends ControlPathEndpoint.Builder<B>> B settings(
            B builder, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        return builder.sendTasks(depth)
                .receiveQueueSize(depth)
                .onMessage((from, message) -> {
                    if (message.byteSize() == 1) {
                        signal = message.get(ValueLayout.JAVA_BYTE, 0);
                    } else {
                        onMessage.accept(from, message);
                    }
                })
                .onConsumer((from, id) -> remoteConsumer = id)
                .onConsumerExpired((from, id) -> remoteConsumer = remoteConsumer == id ? 0 : remoteConsumer);
    }

    /** {@code depth}: send tasks, and messages that may wait to be received. */
    static Endpoint server(
            Options options, Loop loop, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        return new Endpoint(options, loop, loop.newEngine(), true, depth, onMessage);
    }

    /** Waits until it is connected. */
    static Endpoint client(
            Options options, Loop loop, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        return client(options, loop, loop.newEngine(), depth, onMessage);
    }

    /** One of several clients on an engine. */
    static Endpoint client(
            Options options,
            Loop loop,
            ProgressEngine engine,
            int depth,
            BiConsumer<ComchConnection, MemorySegment> onMessage) {
        return new Endpoint(options, loop, engine, false, depth, onMessage);
    }

    static BiConsumer<ComchConnection, MemorySegment> noMessages() {
        return (from, message) -> {
            throw new IllegalStateException("an unexpected message");
        };
    }

    void awaitConnection() {
        loop.waitFor("the client", () -> connection != null);
    }

    void awaitRemoteConsumer() {
        loop.waitFor("the peer's consumer", () -> remoteConsumer != 0);
    }

    void signal(byte value) {
        MemorySegment message = MemorySegment.ofArray(new byte[] {value});
        loop.waitFor("room", () -> connection.trySend(message).accepted());
        loop.waitFor("the signal's way out", () -> endpoint.inFlight() == 0);
    }

    /** Tells the sender to stop, and waits for its end while {@code poll} takes what still arrives. */
    void stopSender(Runnable poll) {
        signal(STOP);
        loop.waitFor("the sender's end", () -> {
            poll.run();
            return signal == DONE;
        });
    }

    /** Whether the receiver has told this sender to stop. */
    boolean isStopped() {
        engine.progress();
        return signal == STOP;
    }

    /** The end of a sender whose producer is closed: tells it to the receiver, and waits for its consumer's end. */
    void endSender() {
        signal(DONE);
        loop.waitFor("the consumer's end", () -> remoteConsumer == 0);
        close();
    }

    boolean isIdle() {
        return endpoint.inFlight() == 0;
    }

    /** A client ends the connection; a server waits until it has ended. */
    @Override
    public void close() {
        if (endpoint instanceof ComchServer) {
            loop.waitFor("the client's end", () -> connections == 0);
        }
        endpoint.close();
        if (representor != null) {
            representor.close();
        }
        device.close();
    }
}
