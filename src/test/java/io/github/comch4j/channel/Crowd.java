package io.github.comch4j.channel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Some of the clients of {@link ManyChannelClientsIT}: all send in turns, get an answer each when all their messages
 * have been received, and leave.
 */
public final class Crowd {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final long MESSAGE = 16; // when its send began, client, number
    static final int MAX_MESSAGE = 256;
    static final int QUEUE = 16;

    private final List<ChannelClient> clients = new ArrayList<>();
    private final List<ChannelPeer> services = new ArrayList<>();
    private final MemorySegment message = Arena.global().allocate(MESSAGE, 8);
    private final Tickets tickets;
    private final int first;
    private final int messages;

    private Crowd(Tickets tickets, int first, int messages) {
        this.tickets = tickets;
        this.first = first;
        this.messages = messages;
    }

    static long begun(MemorySegment message) {
        return message.get(LONG, 0);
    }

    static int client(MemorySegment message) {
        return message.get(JAVA_INT, 8);
    }

    static int number(MemorySegment message) {
        return message.get(JAVA_INT, 12);
    }

    /**
     * What all processes share: a ticket is drawn before and after each send. What was sent before another send began
     * has a smaller ticket after it than the other one before.
     */
    record Tickets(Arena arena, MemorySegment words) implements AutoCloseable {
        private static final VarHandle WORD = LONG.varHandle();

        static Tickets make(Path file, int messages) throws IOException {
            return map(file, messages, StandardOpenOption.CREATE_NEW);
        }

        private static Tickets map(Path file, int messages, StandardOpenOption more) throws IOException {
            Arena arena = Arena.ofShared();
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, more)) {
                return new Tickets(
                        arena, channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES * (1L + messages), arena));
            }
        }

        long draw() {
            return (long) WORD.getAndAdd(words, 0L, 1L);
        }

        void end(int place) {
            WORD.setVolatile(words, Long.BYTES * (1L + place), draw());
        }

        long ended(int place) {
            return (long) WORD.getVolatile(words, Long.BYTES * (1L + place));
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    public static void main(String[] arguments) throws IOException {
        Machine.useEmulation();
        int first = Integer.parseInt(arguments[3]);
        int end = Integer.parseInt(arguments[4]);
        int messages = Integer.parseInt(arguments[5]);
        try (Tickets tickets = Tickets.map(Path.of(arguments[2]), end * messages, StandardOpenOption.WRITE);
                Device host = Device.openHost(Machine.HOST)) {
            Crowd crowd = new Crowd(tickets, first, messages);
            for (int i = first; i < end; i++) {
                crowd.join(host, Carrier.valueOf(arguments[0]), arguments[1]);
            }
            crowd.sendAll();
            crowd.leave();
        }
        System.out.println("DONE");
    }

    private void join(Device host, Carrier carrier, String name) {
        ChannelClient client = ChannelEndpoint.builder(host)
                .carrier(carrier)
                .maxMessageSize(MAX_MESSAGE)
                .sendQueueSize(QUEUE)
                .receiveQueueSize(QUEUE)
                .client();
        clients.add(client);
        services.add(client.connect(name, Machine.PATIENCE));
    }

    private void sendAll() {
        int[] counts = new int[clients.size()];
        for (long left = (long) messages * counts.length; left > 0; Thread.yield()) {
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] == messages) {
                    continue;
                }
                message.set(LONG, 0, tickets.draw());
                message.set(JAVA_INT, 8, first + i);
                message.set(JAVA_INT, 12, counts[i]);
                if (clients.get(i).trySend(services.get(i), message).accepted()) {
                    tickets.end((first + i) * messages + counts[i]);
                    counts[i]++;
                    left--;
                }
            }
        }
    }

    private void leave() {
        for (int i = 0; i < clients.size(); i++) {
            ChannelPeer from = clients.get(i).receive(message, Machine.PATIENCE);
            if (from != services.get(i) || message.get(LONG, 0) != first + i) {
                throw new AssertionError("client " + (first + i) + " is not answered");
            }
            clients.get(i).close();
        }
    }
}
