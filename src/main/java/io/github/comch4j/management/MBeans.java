package io.github.comch4j.management;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.FastPathConsumer;
import io.github.comch4j.comch.FastPathProducer;
import io.github.comch4j.internal.observe.LiveObjects;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.IdentityHashMap;
import java.util.Objects;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Publishes the live engines, connections, producers, consumers, RPC clients, and RPC servers of this process over JMX.
 *
 * {@snippet file="Pieces.java" region="management"}
 *
 * <p>The library registers nothing unless the program calls {@link #register()}. A registration includes objects that
 * exist already, and removes each bean when its object ends. Reading a bean costs the sending and receiving threads
 * nothing: they count in any case, and take no lock. Any thread may call these methods.
 *
 * <p>All names are in the domain {@code io.github.comch4j}. Attributes can be read only; each bean describes its own.
 * Counts are since the object was created or started; rates are differences between counts.
 *
 * <table>
 * <caption>{@code type=ProgressEngine,id=1}: a {@link io.github.comch4j.core.ProgressEngine}</caption>
 * <tr><th scope="col">attribute</th><th scope="col">meaning</th></tr>
 * <tr><td>{@code Owner}</td><td>the name of the thread that owns the engine; empty while no thread owns it</td></tr>
 * <tr><td>{@code Polls}</td><td>how many times a thread has polled the engine for progress</td></tr>
 * <tr><td>{@code Events}</td><td>the number of events that progress has handled. The ratio of events to polls shows how
 * busy the engine is</td></tr>
 * <tr><td>{@code CallbackFailures}</td><td>the number of callbacks that threw an exception</td></tr>
 * </table>
 *
 * <table>
 * <caption>{@code type=Connection,endpoint="client \"echo\"",id=3}: a {@link ComchConnection}; the id is
 * {@link ComchConnection#number()}</caption>
 * <tr><th scope="col">attribute</th><th scope="col">meaning</th></tr>
 * <tr><td>{@code Endpoint}</td><td>the kind and the name of the server or client that the connection belongs
 * to</td></tr>
 * <tr><td>{@code State}</td><td>the name of a {@link io.github.comch4j.comch.ConnectionState}</td></tr>
 * <tr><td>{@code Sent}, {@code SentBytes}</td><td>the number of messages that were accepted for sending, and their
 * total length in bytes</td></tr>
 * <tr><td>{@code Received}, {@code ReceivedBytes}</td><td>the number of received messages, and their total length in
 * bytes</td></tr>
 * <tr><td>{@code Failed}</td><td>the number of messages that were accepted but could not be delivered</td></tr>
 * <tr><td>{@code Refused}</td><td>how many times a message was not accepted because there was no room</td></tr>
 * <tr><td>{@code BackPressures}</td><td>the number of episodes of back-pressure. An episode lasts from a first refusal
 * to the next accepted send</td></tr>
 * <tr><td>{@code Stalls}</td><td>how many times the peer has stopped reading</td></tr>
 * <tr><td>{@code InFlightOfEndpoint}</td><td>the number of messages on all connections of the server together that are
 * accepted and neither delivered nor failed</td></tr>
 * </table>
 *
 * <table>
 * <caption>{@code type=Producer,endpoint="client \"echo\"",connection=3,id=1}: a
 * {@link FastPathProducer}</caption>
 * <tr><th scope="col">attribute</th><th scope="col">meaning</th></tr>
 * <tr><td>{@code State}</td><td>the name of a {@link io.github.comch4j.core.ContextState}</td></tr>
 * <tr><td>{@code Tasks}</td><td>how many sends can be in flight at a time</td></tr>
 * <tr><td>{@code InFlight}</td><td>the number of sends that have not completed, including queued ones</td></tr>
 * <tr><td>{@code Sent}, {@code SentBytes}</td><td>the number of successful sends, and the total length of their data in
 * bytes</td></tr>
 * <tr><td>{@code Failed}</td><td>the number of sends that were accepted and then failed</td></tr>
 * <tr><td>{@code Refused}</td><td>how many times a send was not accepted because there was no room</td></tr>
 * <tr><td>{@code BackPressures}</td><td>the number of episodes of back-pressure, as of a connection</td></tr>
 * </table>
 *
 * <table>
 * <caption>{@code type=Consumer,endpoint="client \"echo\"",connection=3,id=1}: a
 * {@link FastPathConsumer}</caption>
 * <tr><th scope="col">attribute</th><th scope="col">meaning</th></tr>
 * <tr><td>{@code State}</td><td>the name of a {@link io.github.comch4j.core.ContextState}</td></tr>
 * <tr><td>{@code Tasks}</td><td>how many receives can be posted at a time</td></tr>
 * <tr><td>{@code Posted}</td><td>the number of receives that are posted and have not ended. While it is 0, the peer's
 * producers have no room</td></tr>
 * <tr><td>{@code Received}, {@code ReceivedBytes}</td><td>the number of sends that the consumer has received, with or
 * without data, and the total length of the data in bytes</td></tr>
 * <tr><td>{@code Failed}</td><td>the number of posted receives that ended without a message</td></tr>
 * </table>
 *
 * <table>
 * <caption>{@code type=RpcClient,name="…",id=1} and {@code type=RpcServer,name="…",id=2}: an {@code RpcClient} or
 * {@code RpcServer}</caption>
 * <tr><th scope="col">attribute</th><th scope="col">meaning</th></tr>
 * <tr><td>{@code Calls}</td><td>of a client, the calls handed to the loop to be sent; of a server, those that arrived
 * and were not refused at once</td></tr>
 * <tr><td>{@code InFlight}</td><td>the calls that have begun and not ended</td></tr>
 * <tr><td>{@code Answered}</td><td>the number of calls that were answered with a response</td></tr>
 * <tr><td>{@code AnsweredNanos}, {@code LongestNanos}</td><td>the time of the answered calls in nanoseconds, in total
 * and of the slowest: of a client, from the call to its response; of a server, from the request to its
 * response</td></tr>
 * <tr><td>{@code Failed}</td><td>the number of calls that failed after their handler had run</td></tr>
 * <tr><td>{@code Rejected}</td><td>the number of calls that either side refused before their handler ran</td></tr>
 * <tr><td>{@code Late}</td><td>the number of late calls: of a client, those without a response in time; of a server,
 * those whose deadline had passed when their turn came</td></tr>
 * <tr><td>{@code Lost}</td><td>the number of calls whose outcome is unknown: of a client, because the connection ended
 * or the caller stopped waiting; of a server, because the client no longer waits</td></tr>
 * </table>
 */
public final class MBeans implements AutoCloseable {
    private static final String DOMAIN = "io.github.comch4j";
    private static final Logger LOGGER = System.getLogger(DOMAIN);
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
                ObjectBean<?> bean = BeanType.bean(object);
                ObjectName name = new ObjectName(DOMAIN + ":" + bean.keys());
                server.registerMBean(bean, name);
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
}
