package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.Signals;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broadcast to 20 subscribers, of which one stands still and one reads slowly: the others get everything. */
@Timeout(240)
class BroadcastIT {
    static final int LENGTH = 32768;
    static final int MESSAGES = 300;
    private static final int PLACES = 16;
    private static final int QUICK = 18;

    private record Subscriber(ComchProducer producer, int consumer) {}

    private final List<Subscriber> subscribers = new ArrayList<>();

    @ParameterizedTest(name = "direct writes: {0}")
    @ValueSource(strings = {"1", "0"})
    void aSubscriberThatStandsStillStopsNobodyElse(String directWrites) throws Exception {
        Map<String, String> host = Map.of("DOCA_EMU_SIDE", "host", "DOCA_EMU_DIRECT_WRITE", directWrites);
        try (Machine machine = new Machine()) {
            MemoryMap memory = MemoryMap.allocate(machine.dpu, (long) PLACES * LENGTH, Access.PCI_READ_WRITE);
            Broadcast.Pool pool = Broadcast.Pool.create(memory, PLACES, LENGTH);
            machine.server()
                    .onConsumer((connection, id) -> {
                        ComchProducer producer = connection
                                .producer(machine.engine)
                                .releaseSent()
                                .onCompletion((self, buffer, status) -> {})
                                .start();
                        subscribers.add(new Subscriber(producer, id));
                    })
                    .start();
            try (Child still = start(machine, host, 1, 0);
                    Child slow = start(machine, host, 1, 20_000);
                    Child quick = start(machine, host, QUICK, 0)) {
                Signals.stop(Long.parseLong(still.line()));
                slow.line();
                quick.line();
                for (long number = 0; number < MESSAGES; number++) {
                    publish(machine, pool, number);
                }
                machine.until(
                        "what the quick ones have",
                        () -> subscribers.stream()
                                .skip(2)
                                .allMatch(subscriber -> subscriber.producer().inFlight() == 0));
                assertThat(quick.line()).isEqualTo(Integer.toString(QUICK * MESSAGES));
                assertThat(pool.missed(subscribers.get(0).producer()))
                        .as("what the one that stands still had no receive for, or its share")
                        .isGreaterThan(MESSAGES / 2);
            }
        }
    }

    /** To all; a quick one may have no processor for a moment, and is waited for, the others are not. */
    private void publish(Machine machine, Broadcast.Pool pool, long number) {
        machine.until("a place for " + number, () -> pool.available() > 0);
        Broadcast broadcast = pool.tryAcquire();
        broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        broadcast.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, LENGTH - 8, number);
        broadcast.commit(LENGTH);
        for (int i = 0; i < subscribers.size(); i++) {
            Subscriber to = subscribers.get(i);
            if (i < 2) {
                broadcast.enqueue(to.producer(), to.consumer());
            } else {
                machine.until(
                        "room",
                        () -> broadcast.enqueue(to.producer(), to.consumer()).accepted());
            }
        }
        broadcast.release();
    }

    private Child start(Machine machine, Map<String, String> host, int count, long delay) {
        int before = subscribers.size();
        Child child = Child.start(
                BroadcastPeer.class, List.of(), host, machine.name, Integer.toString(count), Long.toString(delay));
        machine.until("its consumers", () -> subscribers.size() == before + count);
        return child;
    }
}
