package io.github.comch4j.management;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.FastPathConsumer;
import io.github.comch4j.comch.FastPathEndpoint;
import io.github.comch4j.comch.FastPathProducer;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.CallCounts;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;

/**
 * What JMX shows of one type of object. {@link MBeans} documents the attributes.
 *
 * @param type its class
 * @param what begins the description of a bean
 * @param keys of a bean's name
 * @param attributes of a bean
 */
record BeanType<T>(Class<T> type, String what, Function<T, String> keys, List<BeanAttribute<T>> attributes) {
    /** Of producers without an id, which DOCA 2.5 has. */
    private static final AtomicLong UNNUMBERED = new AtomicLong();

    /** What a program can read; {@code info} describes it. */
    record BeanAttribute<T>(MBeanAttributeInfo info, Function<T, Object> value) {
        static <T> BeanAttribute<T> of(String name, String type, String description, Function<T, Object> value) {
            return new BeanAttribute<>(new MBeanAttributeInfo(name, type, description, true, false, false), value);
        }
    }

    private static <T> BeanAttribute<T> text(String name, String description, Function<T, Object> value) {
        return BeanAttribute.of(name, String.class.getName(), description, value);
    }

    private static <T> BeanAttribute<T> number(String name, String description, ToIntFunction<T> value) {
        return BeanAttribute.of(name, "int", description, value::applyAsInt);
    }

    private static <T> BeanAttribute<T> count(String name, String description, ToLongFunction<T> value) {
        return BeanAttribute.of(name, "long", description, value::applyAsLong);
    }

    private static BeanAttribute<CallCounts> ended(String name, String description, CallCounts.End how) {
        return count(name, description, calls -> calls.ended(how));
    }

    private static final BeanType<Engine> ENGINES = new BeanType<>(
            Engine.class,
            "progress engine",
            engine -> "type=ProgressEngine,id=" + engine.number(),
            List.of(
                    text("Owner", "name of the thread that owns the engine; empty if none does", engine -> {
                        Thread owner = engine.owner();
                        return owner == null ? "" : owner.getName();
                    }),
                    count("Polls", "times that a thread has polled the engine for progress", Engine::polls),
                    count("Events", "events that progress has handled", Engine::events),
                    count("CallbackFailures", "callbacks that threw an exception", Engine::callbackFailures)));

    private static final BeanType<ComchConnection> CONNECTIONS = new BeanType<>(
            ComchConnection.class,
            "connection",
            connection -> "type=Connection," + endpoint(connection) + ",id=" + connection.number(),
            List.of(
                    text(
                            "Endpoint",
                            "server or client of the connection",
                            connection -> connection.endpoint().toString()),
                    text(
                            "State",
                            "state of the connection",
                            connection -> connection.state().name()),
                    count("Sent", "messages accepted for sending", ComchConnection::sent),
                    count("SentBytes", "bytes of the messages accepted for sending", ComchConnection::sentBytes),
                    count("Received", "received messages", ComchConnection::received),
                    count("ReceivedBytes", "bytes of the received messages", ComchConnection::receivedBytes),
                    count("Failed", "messages accepted that could not be delivered", ComchConnection::failed),
                    count("Refused", "times that a message was not accepted: no room", ComchConnection::refused),
                    count("BackPressures", "episodes of back-pressure", ComchConnection::backPressures),
                    count("Stalls", "times that the peer has stopped reading", ComchConnection::stalls),
                    number(
                            "InFlightOfEndpoint",
                            "messages in flight on all connections of the server together",
                            connection -> connection.endpoint().inFlight())));

    private static final BeanType<FastPathProducer> PRODUCERS = new BeanType<>(
            FastPathProducer.class,
            "producer",
            producer -> "type=Producer," + end(producer),
            List.of(
                    text(
                            "State",
                            "state of the producer",
                            producer -> producer.state().name()),
                    number("Tasks", "sends that can be in flight at a time", FastPathProducer::tasks),
                    number("InFlight", "sends in flight, including queued ones", FastPathProducer::inFlight),
                    count("Sent", "successful sends", FastPathProducer::sent),
                    count("SentBytes", "bytes of the successful sends", FastPathProducer::sentBytes),
                    count("Failed", "sends accepted that failed", FastPathProducer::failed),
                    count("Refused", "times that a send was not accepted: no room", FastPathProducer::refused),
                    count("BackPressures", "episodes of back-pressure", FastPathProducer::backPressures)));

    private static final BeanType<FastPathConsumer> CONSUMERS = new BeanType<>(
            FastPathConsumer.class,
            "consumer",
            consumer -> "type=Consumer," + end(consumer),
            List.of(
                    text(
                            "State",
                            "state of the consumer",
                            consumer -> consumer.state().name()),
                    number("Tasks", "receives that can be posted at a time", FastPathConsumer::tasks),
                    number("Posted", "posted receives that have not ended", FastPathConsumer::posted),
                    count("Received", "sends received, with or without data", FastPathConsumer::received),
                    count("ReceivedBytes", "bytes of the received data", FastPathConsumer::receivedBytes),
                    count("Failed", "posted receives that ended without a message", FastPathConsumer::failed)));

    private static final BeanType<CallCounts> CALLS = new BeanType<>(
            CallCounts.class,
            "calls of an RPC client or server",
            calls -> "type=" + calls.role() + ",name=" + ObjectName.quote(calls.name()) + ",id=" + calls.number(),
            List.of(
                    count("Calls", "calls that have begun", CallCounts::calls),
                    number("InFlight", "calls that have begun and not ended", CallCounts::inFlight),
                    count("Answered", "calls that were answered with a response", CallCounts::answered),
                    count("AnsweredNanos", "nanoseconds of the answered calls", CallCounts::nanos),
                    count("LongestNanos", "nanoseconds of the slowest answered call", CallCounts::mostNanos),
                    ended("Failed", "calls that failed after their handler had run", CallCounts.End.FAILED),
                    ended("Rejected", "calls refused before their handler ran", CallCounts.End.REJECTED),
                    ended("Late", "calls whose time was up", CallCounts.End.LATE),
                    ended("Lost", "calls whose outcome is unknown", CallCounts.End.LOST)));

    private static final List<BeanType<?>> ALL = List.of(ENGINES, CONNECTIONS, PRODUCERS, CONSUMERS, CALLS);

    private static String end(FastPathEndpoint object) {
        return endpoint(object.connection()) + ",connection="
                + object.connection().number() + ",id="
                + (object.id() > 0 ? object.id() : "0-" + UNNUMBERED.incrementAndGet());
    }

    private static String endpoint(ComchConnection connection) {
        return "endpoint=" + ObjectName.quote(connection.endpoint().toString());
    }

    /** The bean of a live object. */
    static ObjectBean<?> bean(Object object) {
        for (BeanType<?> type : ALL) {
            if (type.type.isInstance(object)) {
                return type.beanOf(object);
            }
        }
        throw new IllegalArgumentException(object.toString());
    }

    private ObjectBean<T> beanOf(Object object) {
        return new ObjectBean<>(this, type.cast(object));
    }

    MBeanInfo info() {
        MBeanAttributeInfo[] all = attributes.stream().map(BeanAttribute::info).toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(type.getName(), what, all, null, null, null);
    }
}
