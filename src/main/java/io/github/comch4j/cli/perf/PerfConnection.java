package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The connection of one thread, its server or client, and the thread's engines. */
final class PerfConnection implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Lane lane;
    private final List<ProgressEngine> engines = new ArrayList<>();
    final Device device;
    private @Nullable Representor representor;
    private final ControlPathEndpoint endpoint;
    private @Nullable ComchConnection connection;
    private boolean ended;
    private int remoteConsumer;

    /** Waits until there is a connection. */
    PerfConnection(Lane lane, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        this.lane = lane;
        PerfEndpoint place = lane.place;
        device = place.isServer() ? Device.openDpu(place.device()) : Device.openHost(place.device());
        try {
            if (place.isServer()) {
                representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                endpoint = serve(place, depth, onMessage);
            } else {
                endpoint = connect(place, depth, onMessage);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private ControlPathEndpoint serve(
            PerfEndpoint place, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        ComchServer server = settings(
                        ComchServer.builder(newEngine(), device, Objects.requireNonNull(representor), place.name()),
                        depth,
                        onMessage)
                .onConnected(opened -> connection = opened)
                .onDisconnected(closed -> ended = true)
                .start();
        lane.ready = true;
        waitFor("the other end", () -> connection != null);
        return server;
    }

    private ControlPathEndpoint connect(
            PerfEndpoint place, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        String advice = "it has just been started";
        ComchClient client = ProgramException.connecting(
                place.name(),
                device.address(),
                advice,
                () -> settings(ComchClient.builder(newEngine(), device, place.name()), depth, onMessage)
                        .onDisconnected(closed -> ended = true)
                        .connect(PATIENCE));
        connection = client.connection();
        return client;
    }

    private <B extends ControlPathEndpoint.Builder<B>> B settings(
            B builder, int depth, BiConsumer<ComchConnection, MemorySegment> onMessage) {
        return builder.sendTasks(depth)
                .receiveQueueSize(depth)
                .onMessage(onMessage)
                .onConsumer((from, id) -> remoteConsumer = id)
                .onConsumerExpired((from, id) -> remoteConsumer = remoteConsumer == id ? 0 : remoteConsumer);
    }

    /** Another one of the thread. */
    ProgressEngine newEngine() {
        ProgressEngine engine = ProgressEngine.create();
        engines.add(engine);
        return engine;
    }

    /** For what carries the messages: on the control path it is the connection's own. */
    ProgressEngine newEngineFor(Plan plan) {
        return plan.kind() == PerfPath.CONTROL ? engine() : newEngine();
    }

    /** That of messages and of all that happens to the connection. */
    ProgressEngine engine() {
        return engines.getFirst();
    }

    ComchConnection connection() {
        return Objects.requireNonNull(connection);
    }

    ControlPathEndpoint endpoint() {
        return endpoint;
    }

    /** The peer's, once it is there. */
    int awaitRemoteConsumer() {
        waitFor("the other end's consumer", () -> remoteConsumer != 0);
        return remoteConsumer;
    }

    /** Looks, now and then, whether there is still a reason to go on. */
    void look() {
        engine().progress();
        check();
    }

    private void check() {
        lane.check();
        if (ended) {
            throw lane.peerLost();
        }
    }

    void waitFor(String what, BooleanSupplier condition) {
        lane.await(what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            engines.forEach(ProgressEngine::progress);
            check();
            return condition.getAsBoolean();
        });
    }

    /** A client closes when it may; a server waits for that. */
    void awaitEnd() {
        lane.sleepUntil(() -> {
            engine().progress();
            return lane.place.isServer() ? ended : lane.mayClose;
        });
    }

    /** Closes the engines, and with them all that is connected to them. */
    @Override
    public void close() {
        engines.forEach(ProgressEngine::close);
        if (representor != null) {
            representor.close();
        }
        device.close();
    }
}
