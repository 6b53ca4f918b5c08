package io.github.comch4j.interop;

import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.TreeSet;

/**
 * One end of a conversation on both paths, in both directions, of which either end may have either generation of DOCA:
 * {@code serve NAME} or {@code connect NAME}. Prints what it has seen.
 */
public final class GenerationEnd {
    static final int MESSAGES = 50;
    private static final int LONGEST = 4080; // by default 2.5 and 2.6 take 2,048, and both ends must agree
    static final int PAYLOADS = 200;

    private static final int SIZE = 16 * 1024;
    private static final int POSTED = 8;
    /** The first byte of a message. */
    private static final byte REQUEST = 1;

    private static final byte ANSWER = 2;
    private static final byte ALL_RECEIVED = 3;

    private final ProgressEngine engine;
    private final MemoryMap memory;
    private final Set<Integer> producers = new TreeSet<>();
    private ComchConnection connection;
    private int peersConsumer;
    private int answers;
    private int received;
    private boolean peerHasAll;
    private boolean over;

    private GenerationEnd(ProgressEngine engine, MemoryMap memory) {
        this.engine = engine;
        this.memory = memory;
    }

    public static void main(String[] arguments) {
        boolean serves = arguments[0].equals("serve");
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = serves ? Device.openDpu(Machine.DPU) : Device.openHost(Machine.HOST);
                MemoryMap memory = MemoryMap.allocate(device, (POSTED + 1L) * SIZE, Access.PCI_READ_WRITE)) {
            GenerationEnd end = new GenerationEnd(engine, memory);
            if (serves) {
                end.serve(device, arguments[1]);
            } else {
                end.connect(device, arguments[1]);
            }
        }
    }

    private void serve(Device dpu, String name) {
        try (var representor = dpu.openRepresentor(Machine.HOST);
                ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                        .maxMessageSize(LONGEST)
                        .onConnected(client -> connection = client)
                        .onMessage(this::message)
                        .onConsumer((from, id) -> peersConsumer = id)
                        .onConsumerExpired((from, id) -> peersConsumer = 0)
                        .onDisconnected(client -> over = true)
                        .start()) {
            System.out.println("READY " + server.state());
            Machine.until("the client", () -> connection != null, engine);
            try (ComchConsumer consumer = consumer()) {
                payloads();
                Machine.until("the client's end", () -> over, engine);
                System.out.println(consumer.received() + " received");
            }
        }
    }

    private void connect(Device host, String name) {
        try (ComchClient client = ComchClient.builder(engine, host, name)
                .maxMessageSize(LONGEST)
                .onMessage(this::message)
                .onConsumer((from, id) -> peersConsumer = id)
                .onConsumerExpired((from, id) -> peersConsumer = 0)
                .connect(Machine.PATIENCE)) {
            connection = client.connection();
            try (ComchConsumer consumer = consumer()) {
                for (int i = 0; i < MESSAGES; i++) {
                    byte[] request = message(i, client.maxMessageSize());
                    Machine.until("room", () -> connection.trySend(request).accepted(), engine);
                }
                Machine.until("the answers", () -> answers == MESSAGES, engine);
                payloads();
                System.out.println(consumer.received() + " received");
            }
        }
    }

    /** From one byte to the largest there is. */
    private static byte[] message(int number, int limit) {
        byte[] bytes = new byte[1 + (limit - 1) * number / (MESSAGES - 1)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (number * 7 + i);
        }
        bytes[0] = REQUEST;
        return bytes;
    }

    private void message(ComchConnection from, MemorySegment message) {
        switch (message.get(ValueLayout.JAVA_BYTE, 0)) {
            case REQUEST -> {
                byte[] answer = message.toArray(ValueLayout.JAVA_BYTE);
                answer[0] = ANSWER;
                from.enqueue(answer);
            }
            case ANSWER -> {
                byte[] expected = message(answers, from.endpoint().maxMessageSize());
                expected[0] = ANSWER;
                check(message.mismatch(MemorySegment.ofArray(expected)) == -1, "answer " + answers);
                answers++;
            }
            default -> peerHasAll = true;
        }
    }

    private ComchConsumer consumer() {
        return connection
                .consumer(engine, memory)
                .buffers(POSTED, SIZE)
                .onReceive((self, buffer, producer, immediate) -> {
                    MemorySegment data = buffer.data();
                    check(data.byteSize() == length(received), "payload " + received + " is " + data.byteSize());
                    check(immediate.byteSize() == 0, "immediate data");
                    for (long i = 0; i < data.byteSize(); i++) {
                        if (data.get(ValueLayout.JAVA_BYTE, i) != content(received, i)) {
                            check(false, "payload " + received + " at " + i);
                        }
                    }
                    producers.add(producer);
                    received++;
                })
                .start(Machine.PATIENCE);
    }

    private static int length(int number) {
        return number % 3 == 0 ? 1 + number : 1 + number * 997 % SIZE;
    }

    private static byte content(int number, long at) {
        return (byte) (number * 31L + at);
    }

    /** Sends all, and waits until both ends have all. */
    private void payloads() {
        Machine.until("the peer's consumer", () -> peersConsumer != 0, engine);
        try (ComchProducer producer = connection.producer(engine).tasks(3).start()) {
            Buffer buffer = producer.acquire(memory, (long) POSTED * SIZE, SIZE);
            for (int i = 0; i < PAYLOADS; i++) {
                buffer.setData(0, length(i));
                for (int at = 0; at < length(i); at++) {
                    buffer.segment().set(ValueLayout.JAVA_BYTE, at, content(i, at));
                }
                boolean queued = i % 2 == 0;
                Machine.until(
                        "room",
                        () -> (queued
                                        ? producer.enqueue(buffer, peersConsumer)
                                        : producer.trySend(buffer, peersConsumer))
                                .accepted(),
                        engine);
                Machine.until("the completion", () -> !buffer.isInFlight(), engine);
            }
            Machine.until("what the peer sends", () -> received == PAYLOADS, engine);
            connection.send(new byte[] {ALL_RECEIVED});
            Machine.until("the peer", () -> peerHasAll, engine);
            System.out.println(Doca.library().generation() + ", " + producer.tasks() + " tasks, from " + producers
                    + ", immediate data: " + withImmediateData(producer, buffer));
        }
    }

    private String withImmediateData(ComchProducer producer, Buffer buffer) {
        try {
            return "" + producer.trySend(buffer, peersConsumer, MemorySegment.ofArray(new byte[1]));
        } catch (MissingFunctionException e) {
            return "no " + e.function();
        } catch (DocaException e) {
            return "" + e.error();
        }
    }

    private static void check(boolean good, String what) {
        if (!good) {
            throw new IllegalStateException("not as it was sent: " + what);
        }
    }
}
