package io.github.comch4j.reliability;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One end of a connection on an engine of the calling thread, as programs have it that use producers and consumers by
 * themselves: the reader says over the control path that it has all, and the writer waits for that.
 */
final class MatrixWire implements AutoCloseable {
    final ProgressEngine engine = ProgressEngine.create();
    final ComchConnection connection;
    /** Of the peer. */
    private int consumer;
    /** What has failed of what was accepted. */
    final ArrayDeque<DocaError> failures = new ArrayDeque<>();
    /** What has come over the control path. */
    final ArrayDeque<Integer> arrived = new ArrayDeque<>();

    private final ControlPathEndpoint endpoint;
    private ComchConnection accepted;

    private <B extends ControlPathEndpoint.Builder<B>> B settings(B builder) {
        return builder.onMessage((from, message) -> arrived.add(MatrixItems.number(message)))
                .onSendFailed((to, error) -> failures.add(error))
                .onConsumer((from, id) -> consumer = id);
    }

    /** The host's, with what {@code opens} makes on it; the peer is told when that is there. */
    static <T> T connect(MatrixScene scene, String name, Function<MatrixWire, T> opens) {
        return open(new MatrixWire(scene, name, true), wire -> {
            T opened = opens.apply(wire);
            wire.send(MatrixPath.END, 8);
            wire.awaitSent();
            return opened;
        });
    }

    /** The DPU's, when the host has come, and is ready. */
    static <T> T accept(MatrixScene scene, String name, Function<MatrixWire, T> opens) {
        return open(new MatrixWire(scene, name, false), wire -> {
            T opened = opens.apply(wire);
            wire.until("the peer to be ready", () -> !wire.arrived.isEmpty());
            wire.arrived.remove();
            return opened;
        });
    }

    private static <T> T open(MatrixWire wire, Function<MatrixWire, T> opens) {
        try {
            return opens.apply(wire);
        } catch (RuntimeException | Error e) {
            wire.close();
            throw e;
        }
    }

    private MatrixWire(MatrixScene scene, String name, boolean connects) {
        engine.setTimeout(MatrixScene.PATIENCE);
        try {
            if (connects) {
                ComchClient client = settings(ComchClient.builder(engine, scene.device, name))
                        .connect(MatrixScene.PATIENCE);
                endpoint = client;
                connection = client.connection();
            } else {
                endpoint = settings(ComchServer.builder(engine, scene.device, scene.representor, name))
                        .onConnected(one -> accepted = one)
                        .onHandlerFailed(Machine::rethrow)
                        .start();
                wait("a client", () -> accepted != null, false);
                connection = accepted;
            }
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /** Waits for it; fails if something that was sent has failed, or the connection ends before. */
    void until(String what, BooleanSupplier condition) {
        wait(what, condition, true);
    }

    private void wait(String what, BooleanSupplier condition, boolean connected) {
        long deadline = System.nanoTime() + MatrixScene.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            boolean worked = engine.progress();
            check();
            if (connected && !connection.isOpen() && !engine.progress() && !condition.getAsBoolean()) {
                throw new IllegalStateException("the connection has ended: waiting for " + what);
            }
            if (!worked) {
                Thread.onSpinWait();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited too long for " + what);
            }
        }
    }

    void check() {
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a send has failed: " + failures);
        }
    }

    /** The peer's consumer. */
    int consumer() {
        until("a consumer", () -> consumer != 0);
        return consumer;
    }

    /** All messages of the control path have gone. */
    void awaitSent() {
        until("the messages to be sent", () -> endpoint.inFlight() == 0);
        check();
    }

    /** All of the writer's has been sent: waits until the reader says that it has come. */
    void awaitAcknowledged() {
        awaitSent();
        until("the reader's word", () -> !arrived.isEmpty());
        check();
    }

    /** The reader has all. */
    void acknowledge() {
        connection.send(MatrixItems.of(MatrixPath.END, 8));
        until("the acknowledgement to be sent", () -> endpoint.inFlight() == 0);
    }

    /** A message of the control path. */
    void send(int item, int size) {
        connection.send(MemorySegment.ofArray(MatrixItems.of(item, size)));
        engine.progress();
        check();
    }

    @Override
    public void close() {
        endpoint.close();
        engine.close();
    }
}
