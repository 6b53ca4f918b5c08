package io.github.comch4j.micrometer;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.comch.FastPathConsumer;
import io.github.comch4j.comch.FastPathEndpoint;
import io.github.comch4j.comch.FastPathProducer;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.CallCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A kind of object, and the meters that the members of one group have.
 *
 * @param type its class
 * @param tags which group an object belongs to
 * @param counts counters: the total of the group
 * @param levels gauges: of those that live
 * @param times timers: the total of the group, and the longest of those that live
 */
record MeteredType<T>(
        Class<T> type, Function<T, Tags> tags, List<Count<T>> counts, List<Level<T>> levels, List<Time<T>> times) {
    /** A counter; {@code more}: tags of its own. */
    record Count<T>(String name, @Nullable String unit, String description, Tags more, ToLongFunction<T> of) {}

    record Level<T>(String name, String description, ToDoubleFunction<List<T>> of) {}

    record Time<T>(
            String name,
            String description,
            ToLongFunction<T> count,
            ToLongFunction<T> nanos,
            ToLongFunction<T> mostNanos) {}

    private static <T> Count<T> count(String name, String description, ToLongFunction<T> of) {
        return new Count<>(name, null, description, Tags.empty(), of);
    }

    private static <T> Count<T> bytes(String name, String description, ToLongFunction<T> of) {
        return new Count<>(name, "bytes", description, Tags.empty(), of);
    }

    private static Count<CallCounts> ended(CallCounts.End how) {
        return new Count<>(
                "comch.calls.unanswered",
                null,
                "Calls that ended without a response",
                Tags.of("outcome", how.name().toLowerCase(Locale.ROOT)),
                calls -> calls.ended(how));
    }

    private static <T> Level<T> sum(String name, String description, ToLongFunction<T> of) {
        return new Level<>(name, description, all -> all.stream().mapToLong(of).sum());
    }

    private static <T> Level<T> number(String name, String description) {
        return new Level<>(name, description, List::size);
    }

    private static final MeteredType<Engine> ENGINES = new MeteredType<>(
            Engine.class,
            engine -> Tags.empty(),
            List.of(
                    count("comch.engine.polls", "Times an engine was asked for progress", Engine::polls),
                    count("comch.engine.events", "Completions and callbacks of the engines", Engine::events),
                    count("comch.engine.failures", "Callbacks that threw an exception", Engine::callbackFailures)),
            List.of(number("comch.engines", "Progress engines")),
            List.of());

    private static final MeteredType<ComchConnection> CONNECTIONS = new MeteredType<>(
            ComchConnection.class,
            connection -> tagsOf(connection.endpoint()),
            List.of(
                    count("comch.messages.sent", "Messages accepted to be sent", ComchConnection::sent),
                    bytes("comch.messages.sent.data", "Data of the messages sent", ComchConnection::sentBytes),
                    count("comch.messages.received", "Messages received", ComchConnection::received),
                    bytes(
                            "comch.messages.received.data",
                            "Data of the messages received",
                            ComchConnection::receivedBytes),
                    count("comch.messages.failed", "Messages accepted and not delivered", ComchConnection::failed),
                    count("comch.messages.refused", "Messages not accepted: no room", ComchConnection::refused),
                    count(
                            "comch.messages.backpressure",
                            "Times from a first refusal to the next accepted message",
                            ComchConnection::backPressures),
                    count("comch.connections.stalls", "Times that a client did not read", ComchConnection::stalls)),
            List.of(
                    number("comch.connections", "Connections"),
                    new Level<>(
                            "comch.messages.inflight",
                            "Messages accepted and not completed",
                            // The count is that of all connections of a server.
                            all -> all.stream()
                                    .map(ComchConnection::endpoint)
                                    .distinct()
                                    .mapToLong(ControlPathEndpoint::inFlight)
                                    .sum())),
            List.of());

    private static final MeteredType<FastPathProducer> PRODUCERS = new MeteredType<>(
            FastPathProducer.class,
            MeteredType::tagsOf,
            List.of(
                    count("comch.producer.sent", "Sends that succeeded", FastPathProducer::sent),
                    bytes("comch.producer.sent.data", "Data of the sends that succeeded", FastPathProducer::sentBytes),
                    count("comch.producer.failed", "Sends accepted that failed", FastPathProducer::failed),
                    count("comch.producer.refused", "Sends not accepted: no room", FastPathProducer::refused),
                    count(
                            "comch.producer.backpressure",
                            "Times from a first refusal to the next accepted send",
                            FastPathProducer::backPressures)),
            List.of(
                    number("comch.producers", "Producers"),
                    sum("comch.producer.inflight", "Sends accepted and not completed", FastPathProducer::inFlight)),
            List.of());

    private static final MeteredType<FastPathConsumer> CONSUMERS = new MeteredType<>(
            FastPathConsumer.class,
            MeteredType::tagsOf,
            List.of(
                    count("comch.consumer.received", "Sends received", FastPathConsumer::received),
                    bytes(
                            "comch.consumer.received.data",
                            "Data of the sends received",
                            FastPathConsumer::receivedBytes),
                    count(
                            "comch.consumer.failed",
                            "Posted receives that came back with nothing",
                            FastPathConsumer::failed)),
            List.of(
                    number("comch.consumers", "Consumers"),
                    sum("comch.consumer.posted", "Receives posted", FastPathConsumer::posted)),
            List.of());

    private static final MeteredType<CallCounts> CALLS = new MeteredType<>(
            CallCounts.class,
            calls -> tags(calls.role().equals("RpcServer"), calls.server()),
            Stream.concat(
                            Stream.of(count("comch.calls.begun", "Calls begun", CallCounts::calls)),
                            Stream.of(CallCounts.End.values()).map(MeteredType::ended))
                    .toList(),
            List.of(sum("comch.calls.inflight", "Calls in flight", CallCounts::inFlight)),
            List.of(new Time<>(
                    "comch.calls",
                    "Calls that were answered",
                    CallCounts::answered,
                    CallCounts::nanos,
                    CallCounts::mostNanos)));

    private static final List<MeteredType<?>> ALL = List.of(ENGINES, CONNECTIONS, PRODUCERS, CONSUMERS, CALLS);

    /** That of an object. */
    static MeteredType<?> of(Object object) {
        for (MeteredType<?> kind : ALL) {
            if (kind.type.isInstance(object)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(object.toString());
    }

    private static Tags tagsOf(FastPathEndpoint object) {
        return tagsOf(object.connection().endpoint());
    }

    private static Tags tagsOf(ControlPathEndpoint endpoint) {
        return tags(endpoint instanceof ComchServer, endpoint.name());
    }

    private static Tags tags(boolean serves, String server) {
        return Tags.of("role", serves ? "server" : "client", "server", server);
    }

    /** A group without members. */
    MeteredGroup<T> group() {
        List<ToLongFunction<T>> totals = new ArrayList<>();
        counts.forEach(count -> totals.add(count.of));
        for (Time<T> time : times) {
            totals.add(time.count);
            totals.add(time.nanos);
        }
        return new MeteredGroup<>(totals);
    }

    /** The meters of a group. */
    List<Meter> register(MeteredGroup<T> members, Tags tags, MeterRegistry registry) {
        List<Meter> meters = new ArrayList<>();
        for (Count<T> count : counts) {
            meters.add(FunctionCounter.builder(count.name, members, all -> all.total(count.of))
                    .baseUnit(count.unit)
                    .description(count.description)
                    .tags(tags.and(count.more))
                    .register(registry));
        }
        for (Level<T> level : levels) {
            meters.add(Gauge.builder(level.name, members, all -> level.of.applyAsDouble(all.live()))
                    .description(level.description)
                    .tags(tags)
                    .register(registry));
        }
        for (Time<T> time : times) {
            meters.add(FunctionTimer.builder(
                            time.name,
                            members,
                            all -> all.total(time.count),
                            all -> all.total(time.nanos),
                            TimeUnit.NANOSECONDS)
                    .description(time.description)
                    .tags(tags)
                    .register(registry));
            meters.add(TimeGauge.builder(
                            time.name + ".max",
                            members,
                            TimeUnit.NANOSECONDS,
                            all -> all.live().stream()
                                    .mapToLong(time.mostNanos)
                                    .max()
                                    .orElse(0))
                    .description(time.description + ": the longest since its client or server began")
                    .tags(tags)
                    .register(registry));
        }
        return meters;
    }
}
