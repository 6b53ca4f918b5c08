package io.github.comch4j.management;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.FastPathConsumer;
import io.github.comch4j.comch.FastPathEndpoint;
import io.github.comch4j.comch.FastPathProducer;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.internal.observe.LiveObjects;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Publishes the live engines, connections, producers, consumers, RPC clients, and RPC servers of this process over JMX.
 *
 * {@snippet file="Pieces.java" region="management"}
 *
 * <p>The library registers nothing unless the program calls {@link #register()}. A registration includes objects that
 * exist already, and removes each bean when its object ends. Reading a bean costs the sending and receiving threads
 * nothing: they count in any case, and take no lock. Any thread may call these methods.
 *
 * <table>
 * <caption>Names, all in domain {@code io.github.comch4j}</caption>
 * <tr><th scope="col">bean</th><th scope="col">keys</th></tr>
 * <tr><td>{@link ProgressEngineMXBean}</td><td>{@code type=ProgressEngine,id=1}</td></tr>
 * <tr><td>{@link ConnectionMXBean}</td>
 * <td>{@code type=Connection,endpoint="client \"echo\"",id=3}; the id is {@link ComchConnection#number()}</td></tr>
 * <tr><td>{@link ProducerMXBean}</td><td>{@code type=Producer,endpoint="client \"echo\"",connection=3,id=1}</td></tr>
 * <tr><td>{@link ConsumerMXBean}</td><td>{@code type=Consumer,endpoint="client \"echo\"",connection=3,id=1}</td></tr>
 * <tr><td>{@link CallsMXBean}</td><td>{@code type=RpcClient,name="…",id=1}, {@code type=RpcServer,name="…",id=2}</td>
 * </tr>
 * </table>
 */
public final class MBeans implements AutoCloseable {
    private static final String DOMAIN = "io.github.comch4j";
    private static final Logger LOGGER = System.getLogger(DOMAIN);
    /** Of producers without an id, which DOCA 2.5 has. */
    private static final AtomicLong UNNUMBERED = new AtomicLong();

    private final MBeanServer server;
    private final Beans beans = new Beans();

    private MBeans(MBeanServer server) {
        this.server = server;
    }

    /**
     * Registers beans with the platform's MBean server, until {@link #close()}.
     *
     * @return the registration
     */
    public static MBeans register() {
        return register(ManagementFactory.getPlatformMBeanServer());
    }

    /**
     * Registers beans with an MBean server, until {@link #close()}. If another registration with the same server is
     * active, the names are taken: the beans then belong to that registration.
     *
     * @param server the MBean server
     * @return the registration
     */
    public static MBeans register(MBeanServer server) {
        MBeans management = new MBeans(Objects.requireNonNull(server));
        LiveObjects.observe(management.beans);
        return management;
    }

    /** Unregisters all beans of this registration. A second call does nothing. */
    @Override
    public void close() {
        LiveObjects.forget(beans);
    }

    /** Called under a lock. A bean that cannot be registered must not keep a connection from coming to life. */
    private final class Beans implements LiveObjects.Observer {
        private final IdentityHashMap<Object, ObjectName> names = new IdentityHashMap<>();

        @Override
        public void added(Object object) {
            try {
                ObjectName name = new ObjectName(DOMAIN + ":" + keys(object));
                server.registerMBean(bean(object), name);
                names.put(object, name);
            } catch (JMException | RuntimeException e) {
                LOGGER.log(Level.WARNING, "cannot register " + object, e);
            }
        }

        @Override
        public void removed(Object object) {
            ObjectName name = names.remove(object);
            if (name == null) {
                return;
            }
            try {
                server.unregisterMBean(name);
            } catch (JMException | RuntimeException e) {
                LOGGER.log(Level.DEBUG, "cannot unregister " + object, e); // another thread or the program did
            }
        }
    }

    private static String keys(Object object) {
        return switch (object) {
            case Engine engine -> "type=ProgressEngine,id=" + engine.number();
            case ComchConnection connection -> "type=Connection," + endpoint(connection) + ",id=" + connection.number();
            case CallCounts calls ->
                "type=" + calls.role() + ",name=" + ObjectName.quote(calls.name()) + ",id=" + calls.number();
            case FastPathProducer producer -> "type=Producer," + of(producer);
            case FastPathConsumer consumer -> "type=Consumer," + of(consumer);
            default -> throw new IllegalArgumentException(object.toString());
        };
    }

    private static String of(FastPathEndpoint object) {
        return endpoint(object.connection()) + ",connection="
                + object.connection().number() + ",id="
                + (object.id() > 0 ? object.id() : "0-" + UNNUMBERED.incrementAndGet());
    }

    private static String endpoint(ComchConnection connection) {
        return "endpoint=" + ObjectName.quote(connection.endpoint().toString());
    }

    private static StandardMBean bean(Object object) {
        return switch (object) {
            case Engine engine -> new StandardMBean(new EngineView(engine), ProgressEngineMXBean.class, true);
            case ComchConnection connection ->
                new StandardMBean(new ConnectionView(connection), ConnectionMXBean.class, true);
            case CallCounts calls -> new StandardMBean(new CallsView(calls), CallsMXBean.class, true);
            case FastPathProducer producer -> new StandardMBean(new ProducerView(producer), ProducerMXBean.class, true);
            case FastPathConsumer consumer -> new StandardMBean(new ConsumerView(consumer), ConsumerMXBean.class, true);
            default -> throw new IllegalArgumentException(object.toString());
        };
    }

    private record EngineView(Engine engine) implements ProgressEngineMXBean {
        @Override
        public String getOwner() {
            Thread owner = engine.owner();
            return owner == null ? "" : owner.getName();
        }

        @Override
        public long getPolls() {
            return engine.polls();
        }

        @Override
        public long getEvents() {
            return engine.events();
        }

        @Override
        public long getCallbackFailures() {
            return engine.callbackFailures();
        }
    }

    private record ConnectionView(ComchConnection connection) implements ConnectionMXBean {
        @Override
        public String getEndpoint() {
            return connection.endpoint().toString();
        }

        @Override
        public String getState() {
            return connection.state().name();
        }

        @Override
        public long getSent() {
            return connection.sent();
        }

        @Override
        public long getSentBytes() {
            return connection.sentBytes();
        }

        @Override
        public long getReceived() {
            return connection.received();
        }

        @Override
        public long getReceivedBytes() {
            return connection.receivedBytes();
        }

        @Override
        public long getFailed() {
            return connection.failed();
        }

        @Override
        public long getRefused() {
            return connection.refused();
        }

        @Override
        public long getBackPressures() {
            return connection.backPressures();
        }

        @Override
        public long getStalls() {
            return connection.stalls();
        }

        @Override
        public int getInFlightOfEndpoint() {
            return connection.endpoint().inFlight();
        }
    }

    private record CallsView(CallCounts counts) implements CallsMXBean {
        @Override
        public long getCalls() {
            return counts.calls();
        }

        @Override
        public int getInFlight() {
            return counts.inFlight();
        }

        @Override
        public long getAnswered() {
            return counts.answered();
        }

        @Override
        public long getAnsweredNanos() {
            return counts.nanos();
        }

        @Override
        public long getLongestNanos() {
            return counts.mostNanos();
        }

        @Override
        public long getFailed() {
            return counts.ended(CallCounts.End.FAILED);
        }

        @Override
        public long getRejected() {
            return counts.ended(CallCounts.End.REJECTED);
        }

        @Override
        public long getLate() {
            return counts.ended(CallCounts.End.LATE);
        }

        @Override
        public long getLost() {
            return counts.ended(CallCounts.End.LOST);
        }
    }

    private record ProducerView(FastPathProducer producer) implements ProducerMXBean {
        @Override
        public String getState() {
            return producer.state().name();
        }

        @Override
        public int getTasks() {
            return producer.tasks();
        }

        @Override
        public int getInFlight() {
            return producer.inFlight();
        }

        @Override
        public long getSent() {
            return producer.sent();
        }

        @Override
        public long getSentBytes() {
            return producer.sentBytes();
        }

        @Override
        public long getFailed() {
            return producer.failed();
        }

        @Override
        public long getRefused() {
            return producer.refused();
        }

        @Override
        public long getBackPressures() {
            return producer.backPressures();
        }
    }

    private record ConsumerView(FastPathConsumer consumer) implements ConsumerMXBean {
        @Override
        public String getState() {
            return consumer.state().name();
        }

        @Override
        public int getTasks() {
            return consumer.tasks();
        }

        @Override
        public int getPosted() {
            return consumer.posted();
        }

        @Override
        public long getReceived() {
            return consumer.received();
        }

        @Override
        public long getReceivedBytes() {
            return consumer.receivedBytes();
        }

        @Override
        public long getFailed() {
            return consumer.failed();
        }
    }
}
