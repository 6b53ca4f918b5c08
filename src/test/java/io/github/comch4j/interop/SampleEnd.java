package io.github.comch4j.interop;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.RemoteConsumerState;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * Either end of the conversations that the vendor's C samples for Comch hold, so that Java can stand in for any of
 * them.
 *
 * <p>{@code SampleEnd control-server|control-client|data-server|data-client TEXT}: sends TEXT, prints {@code Message
 * received: '…'}, exits 0 when the conversation went as the samples hold it.
 */
public final class SampleEnd implements AutoCloseable {
    private static final PciAddress DPU = PciAddress.of("0000:03:00.0");
    private static final PciAddress HOST = PciAddress.of("0000:b1:00.0");
    private static final String CONTROL_NAME = "comch_ctrl_path_sample_server";
    private static final String DATA_NAME = "comch_data_path_sample_server";
    private static final String START = "start_data_path_test";
    private static final String STOP = "stop_data_path_test";
    private static final int BUFFER_BYTES = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ProgressEngine engine = ProgressEngine.create();
    private final byte[] text;
    private final Queue<String> messages = new ArrayDeque<>();
    private ComchConnection connection;
    private boolean disconnected;
    private int remoteConsumer;

    private SampleEnd(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) {
        try (SampleEnd end = new SampleEnd(arguments[1])) {
            switch (arguments[0]) {
                case "control-server" -> end.controlServer();
                case "control-client" -> end.controlClient();
                case "data-server" -> end.dataServer();
                case "data-client" -> end.dataClient();
                default -> throw new IllegalArgumentException("no such end: " + arguments[0]);
            }
        }
    }

    // the client speaks first, the server answers and stops at once

    private void controlServer() {
        try (Device device = Devices.openDpu(DPU);
                ComchServer server = serve(device, CONTROL_NAME)) {
            System.out.println("serving " + server.name());
            print(nextMessage());
            connection.send(text);
            engine.await(
                    () -> server.inFlight() == 0 || disconnected,
                    PATIENCE); // a client that has its answer may leave first
        }
    }

    private void controlClient() {
        try (Device device = Devices.openHost(HOST);
                ComchClient client = connect(device, CONTROL_NAME)) {
            client.connection().send(text);
            print(nextMessage());
        }
    }

    // data go from the client to the server, then the other way

    private void dataServer() {
        try (Device device = Devices.openDpu(DPU);
                ComchServer server = serve(device, DATA_NAME)) {
            System.out.println("serving " + server.name());
            expect(START);
            connection.send(START.getBytes(StandardCharsets.US_ASCII));
            receiveData(device);
            sendData(device);
            expect(STOP);
            connection.send(STOP.getBytes(StandardCharsets.US_ASCII));
        } // at once: the answer must arrive all the same
    }

    private void dataClient() {
        try (Device device = Devices.openHost(HOST);
                ComchClient client = connect(device, DATA_NAME)) {
            connection = client.connection();
            connection.send(START.getBytes(StandardCharsets.US_ASCII));
            expect(START);
            sendData(device);
            receiveData(device);
            connection.send(STOP.getBytes(StandardCharsets.US_ASCII));
            expect(STOP);
        }
    }

    private void receiveData(Device device) {
        String[] received = new String[1];
        try (MemoryMap memory =
                        MemoryMap.allocate(device, BUFFER_BYTES, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                ComchConsumer consumer = connection
                        .consumer(engine, memory)
                        .tasks(2)
                        .repost(false)
                        .buffers(1, BUFFER_BYTES)
                        .onReceive((receiver, buffer, producer, immediate) -> received[0] = string(buffer.data()))
                        .start()) {
            await("data for consumer " + consumer.id(), () -> received[0] != null);
        }
        print(received[0]);
    }

    private void sendData(Device device) {
        await("the peer's consumer", () -> remoteConsumer != 0);
        try (MemoryMap memory = MemoryMap.allocate(device, text.length, Access.PCI_READ_WRITE);
                ComchProducer producer = connection.producer(engine).tasks(2).start()) {
            var buffer = producer.acquire(memory, 0, text.length);
            buffer.segment().copyFrom(MemorySegment.ofArray(text));
            await(
                    "room for the data",
                    () -> producer.trySend(buffer, remoteConsumer).accepted());
            await("the data to be sent", () -> producer.inFlight() == 0);
        }
    }

    private ComchServer serve(Device device, String name) {
        return ComchServer.builder(engine, device, device.openRepresentor(HOST), name)
                .onMessage((from, message) -> {
                    connection = from;
                    messages.add(string(message));
                })
                .onDisconnected(gone -> disconnected = true)
                .onConsumer((of, id, state) -> remoteConsumer = state == RemoteConsumerState.NEW ? id : 0)
                .receiveQueueSize(10)
                .start();
    }

    private ComchClient connect(Device device, String name) {
        return ComchClient.builder(engine, device, name)
                .onMessage((from, message) -> messages.add(string(message)))
                .onDisconnected(gone -> disconnected = true)
                .onConsumer((of, id, state) -> remoteConsumer = state == RemoteConsumerState.NEW ? id : 0)
                .receiveQueueSize(10)
                .connect(PATIENCE);
    }

    private String nextMessage() {
        await("a message", () -> !messages.isEmpty());
        return messages.remove();
    }

    private void expect(String message) {
        String received = nextMessage();
        if (!received.equals(message)) {
            throw new IllegalStateException("expected \"" + message + "\" and not \"" + received + "\"");
        }
    }

    private void await(String what, BooleanSupplier condition) {
        boolean[] holds = new boolean[1];
        engine.await(
                () -> {
                    holds[0] = condition.getAsBoolean(); // asked once only: it may send
                    return holds[0] || disconnected;
                },
                PATIENCE);
        if (!holds[0]) {
            throw new IllegalStateException((disconnected ? "disconnected, " : "gave up ") + "waiting for " + what);
        }
    }

    private static String string(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static void print(String received) {
        System.out.println("Message received: '" + received + "'");
    }

    @Override
    public void close() {
        engine.close();
    }
}
