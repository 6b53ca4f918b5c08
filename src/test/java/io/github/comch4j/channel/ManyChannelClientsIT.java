package io.github.comch4j.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One service, and as many clients as it takes, in several JVMs: {@code -Dcomch4j.clients=512} for all of them. */
@Timeout(600)
class ManyChannelClientsIT extends BothCarriers {
    private static final int CLIENTS = Integer.getInteger("comch4j.clients", 64);
    private static final int MESSAGES = Integer.getInteger("comch4j.messages", 50); // of each client
    /** More in one JVM would wait for each other's turn. */
    private static final int MOST_OF_ONE = 64;

    private static final int PROCESSES = Math.max(2, (CLIENTS + MOST_OF_ONE - 1) / MOST_OF_ONE);

    @TempDir
    private Path folder;

    private final MemorySegment message = Arena.ofAuto().allocate(Crowd.MESSAGE);
    private final MemorySegment answer = Arena.ofAuto().allocate(Long.BYTES);

    /** What the service knows of its clients. */
    private final int[] counts = new int[CLIENTS];

    private final ChannelPeer[] peers = new ChannelPeer[CLIENTS];

    @Test
    void eachMessageArrivesOnceAndInOrderAndEachClientIsAnswered() throws IOException {
        List<Child> children = new ArrayList<>();
        try (Crowd.Tickets tickets = Crowd.Tickets.make(folder.resolve("tickets"), CLIENTS * MESSAGES);
                ChannelService service = machine.service()
                        .maxMessageSize(Crowd.MAX_MESSAGE)
                        .sendQueueSize(Crowd.QUEUE)
                        .receiveQueueSize(Crowd.QUEUE)
                        .listen(machine.representor, machine.name)) {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(crowd(i * CLIENTS / PROCESSES, (i + 1) * CLIENTS / PROCESSES));
            }
            long[] begun = new long[CLIENTS * MESSAGES];
            long[] after = new long[CLIENTS * MESSAGES];
            for (int received = 0; received < begun.length; received++) {
                int place = receive(service);
                begun[received] = Crowd.begun(message);
                after[received] = place;
            }
            for (Child child : children) {
                assertThat(child.rest()).contains("DONE");
                assertThat(child.exitCode()).isZero();
            }
            assertNothingMoreComes(service);
            if (carrier == Carrier.COMM_CHANNEL) { // over Comch there is no order of all clients
                assertInOrderOfTheirSends(begun, after, tickets);
            }
        } finally {
            children.forEach(Child::close);
        }
    }

    private Child crowd(int first, int end) {
        return Child.start(
                Crowd.class,
                List.of(),
                Map.of("DOCA_EMU_SIDE", "host"),
                carrier.name(),
                machine.name,
                folder.resolve("tickets").toString(),
                "" + first,
                "" + end,
                "" + MESSAGES);
    }

    /** The place of the next message among all. */
    private int receive(ChannelService service) {
        ChannelPeer from = null;
        while (from == null) {
            try {
                from = service.receive(message, Machine.PATIENCE);
                assertThat(from).as("the sender of a message, in time").isNotNull();
            } catch (PeerBrokenException e) {
                assertAllReceivedFrom(e.peer());
                e.peer().disconnect();
            }
        }
        int client = Crowd.client(message);
        assertThat(Crowd.number(message)).isEqualTo(counts[client]);
        assertThat(from.attachment(Integer.class)).isEqualTo(counts[client] == 0 ? null : Integer.valueOf(client));
        if (counts[client] == 0) {
            assertThat(peers[client]).isNull();
            peers[client] = from.attach(client);
        }
        int place = client * MESSAGES + counts[client]++;
        if (counts[client] == MESSAGES) {
            answer.set(Crowd.LONG, 0, client);
            service.send(from, answer, Machine.PATIENCE);
        }
        return place;
    }

    private void assertAllReceivedFrom(ChannelPeer peer) {
        Integer client = peer.attachment(Integer.class);
        assertThat(client).as("a client that has left without a message").isNotNull();
        assertThat(counts[client]).isEqualTo(MESSAGES);
    }

    private void assertNothingMoreComes(ChannelService service) {
        int broken = 0;
        while (broken <= CLIENTS) {
            try {
                assertThat(service.tryReceive(message)).isNull();
                return;
            } catch (PeerBrokenException e) {
                assertAllReceivedFrom(e.peer());
                broken++;
            }
        }
        throw new AssertionError("more peers have broken than there were");
    }

    /** A message was not received before one whose send had ended when its own began. */
    private static void assertInOrderOfTheirSends(long[] begun, long[] places, Crowd.Tickets tickets) {
        long latest = 0;
        for (int i = 0; i < begun.length; i++) {
            assertThat(tickets.ended((int) places[i])).isGreaterThanOrEqualTo(latest);
            latest = Math.max(latest, begun[i]);
        }
    }
}
