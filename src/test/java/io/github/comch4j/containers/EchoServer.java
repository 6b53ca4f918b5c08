package io.github.comch4j.containers;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** On the DPU: sends back what it gets. {@code NAME CLIENTS}: ends after so many clients have come and gone. */
public final class EchoServer {
    private static int gone;
    private static int lost;
    private static long messages;
    private static long payloads;

    private EchoServer() {}

    public static void main(String[] arguments) {
        String name = arguments[0];
        int clients = Integer.parseInt(arguments[1]);
        Doca.library();
        Echo.logEverything();
        List<Guest> guests = new ArrayList<>();
        ArrayDeque<Guest> leaving = new ArrayDeque<>();
        try (var engine = ProgressEngine.create();
                var dpu = Device.openDpu(Machine.DPU);
                var representor = dpu.openRepresentor(Machine.HOST);
                var server = ComchServer.builder(engine, dpu, representor, name)
                        .onConnected(connection -> guests.add(new Guest(connection, engine, dpu)))
                        .onConsumer((connection, id) -> connection.attachment(Guest.class).remote = id)
                        .onConsumerExpired((connection, id) -> connection.attachment(Guest.class).remote = 0)
                        .onMessage((connection, message) -> {
                            connection.enqueue(message);
                            messages++;
                        })
                        .onDisconnected(connection -> {
                            lost += connection.state() == ConnectionState.LOST ? 1 : 0;
                            leaving.add(connection.attachment(Guest.class));
                        })
                        .start()) {
            System.out.println("READY " + server.state());
            while (gone < clients) {
                boolean worked = engine.progress();
                while (!leaving.isEmpty()) {
                    Guest guest = leaving.removeFirst();
                    guests.remove(guest);
                    guest.close(); // progresses the engine: guests may come and go in it
                    gone++;
                }
                guests.forEach(Guest::answer);
                if (!worked) {
                    Thread.yield();
                }
            }
        }
        System.out.println(
                "DONE clients=" + gone + " lost=" + lost + " messages=" + messages + " payloads=" + payloads);
    }

    /** A payload to send back. */
    private record Answer(Buffer buffer, int number) {}

    /** One client. */
    private static final class Guest {
        private final MemoryMap memory;
        private final ComchConsumer consumer;
        private final ComchProducer producer;
        private final ArrayDeque<Answer> answers = new ArrayDeque<>();
        private final MemorySegment number = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
        private int remote;

        Guest(ComchConnection connection, ProgressEngine engine, Device dpu) {
            connection.attach(this);
            memory = MemoryMap.allocate(
                    dpu, (long) Echo.WINDOW * Echo.MAX_PAYLOAD, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
            producer = connection
                    .producer(engine)
                    .tasks(Echo.WINDOW)
                    .onCompletion(this::sent)
                    .start();
            consumer = connection
                    .consumer(engine, memory)
                    .buffers(Echo.WINDOW, Echo.MAX_PAYLOAD)
                    .repost(false)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        answers.add(new Answer(buffer, immediate.get(ValueLayout.JAVA_INT_UNALIGNED, 0)));
                        payloads++;
                    })
                    .onReceiveFailed((self, buffer, error) -> {})
                    .start();
        }

        void answer() {
            while (remote != 0 && !answers.isEmpty() && consumer.isRunning()) {
                number.set(ValueLayout.JAVA_INT, 0, answers.peek().number);
                if (!producer.trySend(answers.peek().buffer, remote, number).accepted()) {
                    return;
                }
                answers.remove();
            }
        }

        /** The echo has gone: room for the next payload. */
        private void sent(ComchProducer self, Buffer buffer, DocaError status) {
            if (consumer.isRunning()) {
                consumer.tryPost(buffer.clear());
            }
        }

        void close() {
            producer.close();
            consumer.close();
            memory.close();
        }
    }
}
