package io.github.comch4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.internal.observe.LiveObjects;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups are told apart by their server's name, as other tests in this JVM leave objects of theirs. */
@Timeout(60)
class ComchMetricsTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ComchMetrics metrics = new ComchMetrics();

    @AfterEach
    void close() {
        metrics.close();
    }

    private double count(String name, String role, String server) {
        return registry.get(name)
                .tags("role", role, "server", server)
                .functionCounter()
                .count();
    }

    private double level(String name, String role, String server) {
        return registry.get(name).tags("role", role, "server", server).gauge().value();
    }

    @Test
    void connectionsProducersAndConsumersAreCounted() {
        metrics.bindTo(registry);
        try (Pair pair = new Pair()) {
            String server = pair.machine.name;
            assertThat(level("comch.connections", "client", server)).isEqualTo(1);
            assertThat(level("comch.connections", "server", server)).isEqualTo(1);
            ComchConsumer consumer = pair.dpuSide
                    .consumer(pair.machine.engine, pair.receiveMemory)
                    .buffers(2, Pair.SLOT)
                    .start(Machine.PATIENCE);
            ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
            Buffer buffer = producer.acquire(pair.sendMemory, 0, 100);
            int[] refused = {0};
            pair.machine.until("room", () -> {
                boolean accepted = producer.trySend(buffer, consumer.id()).accepted();
                refused[0] += accepted ? 0 : 1;
                return accepted;
            });
            pair.machine.until("arrival", () -> consumer.received() == 1 && producer.inFlight() == 0);
            pair.hostSide.send(new byte[7]);
            pair.machine.until("the message", () -> pair.dpuSide.received() == 1 && pair.client.inFlight() == 0);

            assertThat(count("comch.messages.sent", "client", server)).isEqualTo(1);
            assertThat(count("comch.messages.sent.data", "client", server)).isEqualTo(7);
            assertThat(count("comch.messages.received", "client", server)).isZero();
            assertThat(count("comch.messages.received", "server", server)).isEqualTo(1);
            assertThat(count("comch.messages.received.data", "server", server)).isEqualTo(7);
            assertThat(count("comch.messages.failed", "client", server)).isZero();
            assertThat(count("comch.connections.stalls", "server", server)).isZero();
            assertThat(level("comch.messages.inflight", "client", server)).isZero();
            assertThat(level("comch.producers", "client", server)).isEqualTo(1);
            assertThat(count("comch.producer.sent", "client", server)).isEqualTo(1);
            assertThat(count("comch.producer.sent.data", "client", server)).isEqualTo(100);
            assertThat(count("comch.producer.refused", "client", server)).isEqualTo(refused[0]);
            assertThat(count("comch.producer.backpressure", "client", server)).isEqualTo(refused[0] > 0 ? 1 : 0);
            assertThat(level("comch.consumers", "server", server)).isEqualTo(1);
            assertThat(count("comch.consumer.received", "server", server)).isEqualTo(1);
            assertThat(count("comch.consumer.received.data", "server", server)).isEqualTo(100);
            assertThat(level("comch.consumer.posted", "server", server)).isEqualTo(2);
            assertThat(registry.get("comch.messages.sent.data")
                            .functionCounter()
                            .getId()
                            .getBaseUnit())
                    .isEqualTo("bytes");
        }
    }

    @Test
    void countersOfWhatHasEndedStay() {
        metrics.bindTo(registry);
        try (Pair pair = new Pair()) {
            String server = pair.machine.name;
            pair.hostSide.send(new byte[7]);
            pair.machine.until("the message", () -> pair.dpuSide.received() == 1);
            pair.client.close();
            pair.machine.until("the server's end of it", () -> !pair.dpuSide.isOpen());
            assertThat(level("comch.connections", "client", server)).isZero();
            assertThat(level("comch.connections", "server", server)).isZero();
            assertThat(count("comch.messages.sent", "client", server)).isEqualTo(1);
            assertThat(count("comch.messages.received.data", "server", server)).isEqualTo(7);
        }
    }

    @Test
    void whatWasThereBeforeIsCountedAndClosingTakesTheMetersBack() {
        try (Pair pair = new Pair()) {
            ComchMetrics tagged = new ComchMetrics(List.of(Tag.of("app", "x")));
            tagged.bindTo(registry);
            assertThat(registry.get("comch.connections")
                            .tags("app", "x", "role", "client", "server", pair.machine.name)
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(registry.get("comch.engines").tag("app", "x").gauge().value())
                    .isGreaterThanOrEqualTo(1);
            tagged.close();
            assertThat(registry.getMeters()).isEmpty();
            tagged.close();
            pair.hostSide.producer(pair.machine.engine).start();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void twoRegistriesHaveMetersOfTheirOwn() {
        MeterRegistry other = new SimpleMeterRegistry();
        metrics.bindTo(registry);
        try (Pair pair = new Pair()) {
            metrics.bindTo(other);
            assertThat(level("comch.connections", "client", pair.machine.name)).isEqualTo(1);
            assertThat(other.get("comch.connections")
                            .tags("role", "client", "server", pair.machine.name)
                            .gauge()
                            .value())
                    .isEqualTo(1);
        }
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
        assertThat(other.getMeters()).isEmpty();
    }

    @Test
    void callsHaveATimerTheirLongestAndTheirOutcomes() {
        CallCounts first = new CallCounts("RpcClient", "calls", "metrics-calls", () -> 3);
        CallCounts second = new CallCounts("RpcClient", "calls", "metrics-calls", () -> 4);
        metrics.bindTo(registry);
        try {
            LiveObjects.add(first);
            LiveObjects.add(second);
            first.begun();
            first.begun();
            second.begun();
            first.answered(2_000_000);
            second.answered(6_000_000);
            first.end(CallCounts.End.LATE);
            assertThat(level("comch.calls.inflight", "client", "metrics-calls")).isEqualTo(7);
            assertThat(count("comch.calls.begun", "client", "metrics-calls")).isEqualTo(3);
            LiveObjects.remove(second);
            var timer =
                    registry.get("comch.calls").tag("server", "metrics-calls").functionTimer();
            assertThat(timer.count()).isEqualTo(2);
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(8);
            assertThat(registry.get("comch.calls.max")
                            .tag("server", "metrics-calls")
                            .timeGauge()
                            .value(TimeUnit.MILLISECONDS))
                    .isEqualTo(2);
            for (CallCounts.End how : CallCounts.End.values()) {
                assertThat(registry.get("comch.calls.unanswered")
                                .tags(
                                        "server",
                                        "metrics-calls",
                                        "outcome",
                                        how.name().toLowerCase(Locale.ROOT))
                                .functionCounter()
                                .count())
                        .as(how.name())
                        .isEqualTo(how == CallCounts.End.LATE ? 1 : 0);
            }
        } finally {
            LiveObjects.remove(first);
            LiveObjects.remove(second);
        }
    }

    @Test
    void aRegistryThatRefusesKeepsNoConnectionFromLiving() {
        MeterRegistry refusing = new SimpleMeterRegistry();
        refusing.config().onMeterAdded(meter -> {
            throw new IllegalStateException("no " + meter.getId());
        });
        metrics.bindTo(refusing);
        try (Pair pair = new Pair()) {
            assertThat(pair.hostSide.isOpen()).isTrue();
        }
    }

    @Test
    void noTagHasAValuePerConnection() {
        metrics.bindTo(registry);
        try (Pair pair = new Pair()) {
            assertThat(pair.hostSide.isOpen()).isTrue();
            for (Meter meter : registry.getMeters()) {
                assertThat(meter.getId().getTags())
                        .extracting(Tag::getKey)
                        .as(meter.getId().toString())
                        .isSubsetOf("role", "server", "outcome");
            }
        }
    }
}
