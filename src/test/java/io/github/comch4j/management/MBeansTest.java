package io.github.comch4j.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a server of its own: other tests in this JVM leave connections of theirs in the platform's. */
@Timeout(60)
class MBeansTest {
    private final MBeanServer beans = MBeanServerFactory.newMBeanServer();

    /** A registration for the length of a block. */
    private final class Showing implements AutoCloseable {
        private final MBeans management = MBeans.register(beans);

        boolean isOn() throws JMException {
            return !names("type=ProgressEngine,*").isEmpty();
        }

        @Override
        public void close() {
            management.close();
        }
    }

    private Set<String> names(String keys) throws JMException {
        return beans.queryNames(new ObjectName("io.github.comch4j:" + keys), null).stream()
                .map(ObjectName::getCanonicalName)
                .collect(Collectors.toSet());
    }

    /** A bean's attributes, each of which has the type that it names. */
    private Map<String, Object> bean(String keys) throws JMException {
        ObjectName name = new ObjectName("io.github.comch4j:" + keys);
        Map<String, Object> values = new HashMap<>();
        for (MBeanAttributeInfo each : beans.getMBeanInfo(name).getAttributes()) {
            Object value = beans.getAttribute(name, each.getName());
            assertThat(each.isReadable() && !each.isWritable()).isTrue();
            assertThat(value.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                    .as(each.getName())
                    .startsWith(each.getType().replace("java.lang.S", "s"));
            values.put(each.getName(), value);
        }
        String[] names = values.keySet().toArray(String[]::new);
        assertThat(beans.getAttributes(name, names)).hasSize(names.length);
        return values;
    }

    private static String key(Pair pair, boolean host) {
        return "endpoint=" + ObjectName.quote((host ? "client \"" : "server \"") + pair.machine.name + "\"");
    }

    @Test
    @Needs(Feature.PRODUCER_IDS)
    void whatLivesIsShownAndWhatEndsIsTakenBack() throws JMException {
        try (Showing all = new Showing()) {
            Pair pair = new Pair();
            assertThat(all.isOn()).isTrue();
            String host = key(pair, true);
            assertThat(names("type=Connection," + host + ",*")).hasSize(1);
            assertThat(names("type=Connection," + key(pair, false) + ",*")).hasSize(1);
            ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
            String name = "type=Producer," + host + ",connection=" + pair.hostSide.number() + ",id=" + producer.id();
            assertThat(names(name)).hasSize(1);
            producer.close();
            assertThat(names(name)).isEmpty();

            pair.client.close();
            assertThat(names("*," + host)).isEmpty();
            pair.machine.until("the server's end of it", () -> !pair.dpuSide.isOpen());
            assertThat(names("*," + key(pair, false))).isEmpty();
            int engines = names("type=ProgressEngine,*").size();
            pair.close();
            assertThat(names("type=ProgressEngine,*")).hasSize(engines - 1);
        }
    }

    @Test
    void whatWasThereBeforeIsShownAndClosingTakesItBack() throws JMException {
        try (Pair pair = new Pair()) {
            MBeans management = MBeans.register(beans);
            assertThat(names("type=Connection," + key(pair, true) + ",id=" + pair.hostSide.number()))
                    .hasSize(1);
            management.close();
            assertThat(names("*")).isEmpty();
            management.close();
            pair.hostSide.producer(pair.machine.engine).start();
            assertThat(names("*")).isEmpty();
        }
    }

    @Test
    @Needs(Feature.PRODUCER_IDS)
    void beansCount() throws JMException {
        try (Showing all = new Showing();
                Pair pair = new Pair()) {
            assertThat(all.isOn()).isTrue();
            ComchConsumer consumer = pair.dpuSide
                    .consumer(pair.machine.engine, pair.receiveMemory)
                    .buffers(2, Pair.SLOT)
                    .start(Machine.PATIENCE);
            ComchProducer producer =
                    pair.hostSide.producer(pair.machine.engine).tasks(3).start();
            Buffer buffer = producer.acquire(pair.sendMemory, 0, 100);
            pair.machine.until(
                    "room", () -> producer.trySend(buffer, consumer.id()).accepted());
            pair.machine.until("arrival", () -> consumer.received() == 1 && producer.inFlight() == 0);
            pair.hostSide.send(new byte[7]);
            pair.machine.until("the message", () -> pair.dpuSide.received() == 1 && pair.client.inFlight() == 0);

            assertThat(bean("type=Connection," + key(pair, true) + ",id=" + pair.hostSide.number()))
                    .containsOnly(
                            entry("Endpoint", pair.client.toString()),
                            entry("State", "OPEN"),
                            entry("Sent", 1L),
                            entry("SentBytes", 7L),
                            entry("Received", 0L),
                            entry("ReceivedBytes", 0L),
                            entry("Failed", 0L),
                            entry("Refused", pair.hostSide.refused()),
                            entry("BackPressures", pair.hostSide.backPressures()),
                            entry("Stalls", 0L),
                            entry("InFlightOfEndpoint", 0));
            assertThat(bean("type=Connection," + key(pair, false) + ",id=" + pair.dpuSide.number()))
                    .contains(entry("Received", 1L), entry("ReceivedBytes", 7L));
            assertThat(bean("type=Producer," + key(pair, true) + ",connection=" + pair.hostSide.number() + ",id="
                            + producer.id()))
                    .containsOnly(
                            entry("State", "RUNNING"),
                            entry("Tasks", 3),
                            entry("InFlight", 0),
                            entry("Sent", 1L),
                            entry("SentBytes", 100L),
                            entry("Failed", 0L),
                            entry("Refused", producer.refused()),
                            entry("BackPressures", producer.backPressures()));
            assertThat(bean("type=Consumer," + key(pair, false) + ",connection=" + pair.dpuSide.number() + ",id="
                            + consumer.id()))
                    .containsOnly(
                            entry("State", "RUNNING"),
                            entry("Tasks", 64),
                            entry("Posted", 2),
                            entry("Received", 1L),
                            entry("ReceivedBytes", 100L),
                            entry("Failed", 0L));
        }
    }

    @Test
    void enginesCount() throws JMException {
        Set<String> before;
        try (Showing all = new Showing();
                Machine other = new Machine()) {
            assertThat(all.isOn()).isTrue();
            assertThat(other.engine.isClosed()).isFalse();
            before = names("type=ProgressEngine,*");
            try (Machine machine = new Machine()) {
                Set<String> added = names("type=ProgressEngine,*");
                added.removeAll(before);
                String engine = new ObjectName(added.iterator().next()).getKeyPropertyListString();
                assertThat(machine.engine.polls()).isZero();
                assertThat(bean(engine))
                        .containsOnly(
                                entry("Owner", Thread.currentThread().getName()),
                                entry("Polls", 0L),
                                entry("Events", machine.engine.events()),
                                entry("CallbackFailures", 0L));
                machine.engine.progress();
                assertThat(bean(engine)).contains(entry("Polls", 1L));
                machine.engine.release();
                assertThat(bean(engine)).contains(entry("Owner", ""));
                machine.engine.takeOver();
            }
        }
    }

    @Test
    void attributesCanOnlyBeRead() throws JMException {
        try (Showing all = new Showing();
                Machine machine = new Machine()) {
            assertThat(all.isOn()).isTrue();
            machine.engine.progress();
            ObjectName name =
                    new ObjectName(names("type=ProgressEngine,*").iterator().next());
            assertThatThrownBy(() -> beans.getAttribute(name, "Nothing"))
                    .isInstanceOf(AttributeNotFoundException.class)
                    .hasMessageContaining("Nothing");
            assertThat(beans.getAttributes(name, new String[] {"Nothing", "Polls"}))
                    .hasSize(1);
            assertThatThrownBy(() -> beans.setAttribute(name, new Attribute("Polls", 7L)))
                    .isInstanceOf(AttributeNotFoundException.class);
            assertThat(beans.setAttributes(name, new AttributeList(List.of(new Attribute("Polls", 7L)))))
                    .isEmpty();
            assertThatThrownBy(() -> beans.invoke(name, "close", new Object[0], new String[0]))
                    .isInstanceOf(ReflectionException.class);
        }
    }

    @Test
    void aNameThatIsTakenDisturbsNobody() throws JMException {
        try (Showing first = new Showing();
                Showing second = new Showing();
                Pair pair = new Pair()) {
            assertThat(first.isOn() && second.isOn()).isTrue();
            assertThat(names("type=Connection," + key(pair, true) + ",*")).hasSize(1);
            pair.hostSide.send(new byte[1]);
        }
        assertThat(names("*")).isEmpty();
    }
}
