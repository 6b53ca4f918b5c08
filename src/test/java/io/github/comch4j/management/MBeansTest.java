package io.github.comch4j.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.Buffer;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
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

    private <T> T bean(Class<T> type, String keys) throws JMException {
        return JMX.newMXBeanProxy(beans, new ObjectName("io.github.comch4j:" + keys), type);
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

            ConnectionMXBean sending = bean(
                    ConnectionMXBean.class, "type=Connection," + key(pair, true) + ",id=" + pair.hostSide.number());
            assertThat(sending.getEndpoint()).isEqualTo(pair.client.toString());
            assertThat(sending.getState()).isEqualTo("OPEN");
            assertThat(sending.getSent()).isEqualTo(1);
            assertThat(sending.getSentBytes()).isEqualTo(7);
            assertThat(sending.getFailed()).isZero();
            assertThat(sending.getRefused()).isEqualTo(pair.hostSide.refused());
            assertThat(sending.getBackPressures()).isEqualTo(pair.hostSide.backPressures());
            assertThat(sending.getInFlightOfEndpoint()).isZero();
            ConnectionMXBean receiving = bean(
                    ConnectionMXBean.class, "type=Connection," + key(pair, false) + ",id=" + pair.dpuSide.number());
            assertThat(receiving.getReceived()).isEqualTo(1);
            assertThat(receiving.getReceivedBytes()).isEqualTo(7);

            ProducerMXBean out = bean(
                    ProducerMXBean.class,
                    "type=Producer," + key(pair, true) + ",connection=" + pair.hostSide.number() + ",id="
                            + producer.id());
            assertThat(out.getState()).isEqualTo("RUNNING");
            assertThat(out.getTasks()).isEqualTo(3);
            assertThat(out.getInFlight()).isZero();
            assertThat(out.getSent()).isEqualTo(1);
            assertThat(out.getSentBytes()).isEqualTo(100);
            assertThat(out.getFailed()).isZero();
            assertThat(out.getRefused()).isEqualTo(producer.refused());
            assertThat(out.getBackPressures()).isEqualTo(producer.backPressures());
            ConsumerMXBean in = bean(
                    ConsumerMXBean.class,
                    "type=Consumer," + key(pair, false) + ",connection=" + pair.dpuSide.number() + ",id="
                            + consumer.id());
            assertThat(in.getState()).isEqualTo("RUNNING");
            assertThat(in.getTasks()).isEqualTo(64);
            assertThat(in.getPosted()).isEqualTo(2);
            assertThat(in.getReceived()).isEqualTo(1);
            assertThat(in.getReceivedBytes()).isEqualTo(100);
            assertThat(in.getFailed()).isZero();
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
                ProgressEngineMXBean engine = JMX.newMXBeanProxy(
                        beans, new ObjectName(added.iterator().next()), ProgressEngineMXBean.class);
                assertThat(engine.getOwner()).isEqualTo(Thread.currentThread().getName());
                assertThat(engine.getPolls()).isEqualTo(machine.engine.polls()).isZero();
                machine.engine.progress();
                assertThat(engine.getPolls()).isEqualTo(1);
                assertThat(engine.getEvents())
                        .isEqualTo(machine.engine.events())
                        .isZero();
                assertThat(engine.getCallbackFailures())
                        .isEqualTo(machine.engine.callbackFailures())
                        .isZero();
                machine.engine.release();
                assertThat(engine.getOwner()).isEmpty();
                machine.engine.takeOver();
            }
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
