package io.github.comch4j.containers;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;

/**
 * On the host: sends on both paths and checks what comes back. {@code NAME ROUNDS [PCI]}; 0 rounds: goes on until the
 * server has gone.
 */
public final class EchoClient {
    private static int messagesBack;
    private static int payloadsBack;
    private static int remote;

    private EchoClient() {}

    public static void main(String[] arguments) {
        String name = arguments[0];
        int rounds = Integer.parseInt(arguments[1]);
        PciAddress function = PciAddress.of(arguments.length > 2 ? arguments[2] : "0000:b1:00.0");
        Doca.library();
        Echo.logEverything();
        long bytes = 0;
        try (var engine = ProgressEngine.create();
                var host = Device.openHost(function);
                var out = MemoryMap.allocate(host, (long) Echo.WINDOW * Echo.MAX_PAYLOAD, Access.PCI_READ_WRITE);
                var in = MemoryMap.allocate(host, (long) Echo.WINDOW * Echo.MAX_PAYLOAD, Access.PCI_READ_WRITE);
                var client = ComchClient.builder(engine, host, name)
                        .onMessage((connection, message) -> {
                            expect(
                                    "a message's size",
                                    Echo.MESSAGES[messagesBack % Echo.MESSAGES.length],
                                    message.byteSize());
                            Echo.check(message, messagesBack++);
                        })
                        .onConsumer((connection, id) -> remote = id)
                        .onConsumerExpired((connection, id) -> remote = 0)
                        .connect(Echo.PATIENCE);
                var consumer = client.connection()
                        .consumer(engine, in)
                        .buffers(Echo.WINDOW, Echo.MAX_PAYLOAD)
                        .onReceive(EchoClient::received)
                        .onReceiveFailed((self, buffer, error) -> {})
                        .start(Echo.PATIENCE);
                var producer = client.connection()
                        .producer(engine)
                        .tasks(Echo.WINDOW)
                        .onCompletion((self, buffer, status) -> {})
                        .start()) {
            System.out.println("READY");
            Buffer[] buffers = new Buffer[Echo.WINDOW];
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = producer.acquire(out, (long) i * Echo.MAX_PAYLOAD, Echo.MAX_PAYLOAD);
            }
            MemorySegment number = Arena.global().allocate(ValueLayout.JAVA_INT);
            MemorySegment message = Arena.global().allocate(client.maxMessageSize());
            int messages = 0;
            int payloads = 0;
            until(client, engine, () -> remote != 0);
            for (int round = 0; (rounds == 0 || round < rounds) && client.isConnected(); round++) {
                for (int size : Echo.MESSAGES) {
                    MemorySegment text = message.asSlice(0, size);
                    Echo.fill(text, messages++);
                    client.connection().send(text);
                }
                for (int size : Echo.PAYLOADS) {
                    int sending = payloads;
                    until(
                            client,
                            engine,
                            () -> sending - payloadsBack < Echo.WINDOW && !buffers[sending % Echo.WINDOW].isInFlight());
                    Buffer buffer = buffers[sending % Echo.WINDOW].setData(0, size);
                    Echo.fill(buffer.data(), sending);
                    number.set(ValueLayout.JAVA_INT, 0, sending);
                    until(
                            client,
                            engine,
                            () -> producer.trySend(buffer, remote, number).accepted());
                    payloads++;
                    bytes += size;
                }
                int expectedMessages = messages;
                int expectedPayloads = payloads;
                until(client, engine, () -> messagesBack == expectedMessages && payloadsBack == expectedPayloads);
                expect("what the consumer counts", payloads, consumer.received());
            }
        } catch (ServerGone | ConnectionClosedException e) {
            System.out.println("LOST messages=" + messagesBack + " payloads=" + payloadsBack);
            return;
        }
        System.out.println("DONE messages=" + messagesBack + " payloads=" + payloadsBack + " bytes=" + bytes);
    }

    private static void received(ComchConsumer consumer, Buffer buffer, int producerId, MemorySegment immediate) {
        int number = immediate.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        expect("a payload's number", payloadsBack, number);
        expect("a payload's size", Echo.PAYLOADS[number % Echo.PAYLOADS.length], buffer.length());
        Echo.check(buffer.data(), number);
        payloadsBack++;
    }

    private static void expect(String what, long wanted, long got) {
        if (got != wanted) {
            throw new AssertionError(what + " is " + got + ", not " + wanted);
        }
    }

    private static final class ServerGone extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void until(ComchClient client, ProgressEngine engine, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Echo.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (!engine.progress()) {
                Thread.yield();
            }
            if (!client.isConnected()) {
                throw new ServerGone();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the server does not answer: " + messagesBack + " messages and " + payloadsBack
                        + " payloads came back");
            }
        }
    }
}
