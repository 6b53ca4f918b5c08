package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.life.Attachments;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection between a client and a server ({@code doca_comch_connection}): carries messages, and producers and
 * consumers of the fast path.
 *
 * <p>Made by the library when a client and a server have found each other; ends when one of the two ends it or dies.
 * Afterwards sending throws {@link ConnectionClosedException}, while the {@link #attachment()}, the last
 * {@link #counters()} and the library's own counts remain.
 *
 * <p><b>When the peer ends the connection, or dies,</b> nothing is known before the engine makes progress. Until then
 * messages and sends are accepted while there is room, and refused as for any other lack of room when there is none.
 * Then all of these come, each inside {@code progress()} of the engine concerned:
 *
 * <ul>
 *   <li>Messages that had arrived are delivered, <em>before</em> the connection's end is reported.
 *   <li>{@link ControlPathEndpoint.Builder#onDisconnected} runs, once, and {@link #state()} is no longer
 *       {@link ConnectionState#OPEN}. A client is {@linkplain ComchClient#isConnected() not connected} any more; its
 *       context becomes STOPPING, and IDLE when its producers and consumers have ended.
 *   <li>Producers and consumers of the connection stop. What they had in flight and had not arrived fails
 *       ({@link ComchProducer.Builder#onCompletion}, {@link ComchConsumer.Builder#onReceiveFailed}). A send that has
 *       succeeded is in the peer's memory, which does not mean that the peer's program has seen it. Without a
 *       completion handler, {@code progress()} throws for the first send that fails, on a client.
 *   <li>The library closes each of them at the end of the {@code progress()} of its own engine in which it has become
 *       idle, when all callbacks have returned. Their counts can still be read, and so can messages in slots that were
 *       not polled yet, whose consumer is closed when the last of them has been. To close them earlier is allowed, and
 *       is not needed.
 * </ul>
 *
 * There is no order between {@code onDisconnected} and what fails, even on one engine: a send may fail, or a call throw
 * {@link ConnectionClosedException}, before {@code onDisconnected} has run, and the other way round. A program that has
 * handlers for both, and lets {@code onDisconnected} alone decide, has to regard neither. Messages that were on their
 * way and are lost are not reported one by one.
 *
 * <p>All methods belong to the thread that owns the control engine, the one of the server or client, with these
 * exceptions: {@link #producer} and {@link #consumer} are called by the owner of the engine that they are given; what
 * says so may be called by any thread.
 */
// The work is done by ConnectionLife, IncomingEvents, MessageCounts and MessageSends.
public final class ComchConnection {
    static {
        Internals.open(ComchConnection.class, connection -> connection.life);
    }

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final ControlPathEndpoint endpoint;
    private final long number = NUMBERS.incrementAndGet();
    private final Engine engine;
    private final long address;
    private final MessageCounts counts = new MessageCounts();
    private final IncomingEvents events;
    private final ConnectionLife life;
    private final OutgoingMessages outgoing;
    private @Nullable Object attachment;

    ComchConnection(ControlPathEndpoint endpoint, long address) {
        this.endpoint = endpoint;
        this.engine = CoreObjects.of(endpoint.engine());
        this.address = address;
        this.events = new IncomingEvents(this);
        this.life = new ConnectionLife(this);
        life.attachToEndpoint();
        events.register(address);
        this.outgoing = endpoint.sends.begin(events.key());
    }

    /**
     * The server or client that this is a connection of. Any thread may ask.
     *
     * @return the endpoint
     */
    public ControlPathEndpoint endpoint() {
        return endpoint;
    }

    /**
     * The engine of that server or client, which this runs on. Any thread may ask.
     *
     * @return the control engine
     */
    public ProgressEngine engine() {
        return endpoint.engine();
    }

    /**
     * Tells it from the other connections of this process, also from those that have ended: names in logs, flight
     * recordings and JMX have it. Any thread may ask.
     *
     * @return 1 for the first connection, and so on
     */
    public long number() {
        return number;
    }

    /**
     * Whether it can be used, and if not, why. Any thread may ask.
     *
     * @return the state
     */
    public ConnectionState state() {
        return life.state();
    }

    /**
     * The device of the server or client that the connection belongs to, which its producers and consumers use, too.
     * Any thread may ask.
     *
     * @return the device
     */
    public Device device() {
        return endpoint.device();
    }

    /**
     * Whether messages can be sent. Any thread may ask.
     *
     * @return whether the state is {@link ConnectionState#OPEN}
     */
    public boolean isOpen() {
        return life.isOpen();
    }

    /**
     * Sends a message if there is room ({@code …_task_send_alloc_init}, {@code doca_task_submit}). Never waits. The
     * bytes are copied before it returns. Allowed in callbacks.
     *
     * <p>A message for which the peer's receive queue has no room yet may be accepted, and keeps its task until there
     * is: then it is {@link SubmitResult#NO_TASK} that says that the peer is slow.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes, native or on the heap
     * @return {@link SubmitResult#ACCEPTED}, or what there is none of: progress, then try again
     * @throws IllegalArgumentException if it is empty or too long
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} if it is too long for the peer
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(MemorySegment message) {
        int length = endpoint.sends.check(this, message.byteSize());
        return endpoint.sends.send(this, endpoint.staging.stage(message), length);
    }

    /**
     * As {@link #trySend(MemorySegment)}.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes
     * @return {@link SubmitResult#ACCEPTED}, or what there is none of: progress, then try again
     */
    public SubmitResult trySend(byte[] message) {
        int length = endpoint.sends.check(this, message.length);
        return endpoint.sends.send(this, endpoint.staging.stage(message), length);
    }

    /**
     * As {@link #trySend(MemorySegment)}, for the bytes between position and limit.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes remaining; its position is moved to its
     *     limit if they were sent
     * @return {@link SubmitResult#ACCEPTED}, or what there is none of: progress, then try again
     */
    public SubmitResult trySend(ByteBuffer message) {
        int length = endpoint.sends.check(this, message.remaining());
        SubmitResult result = endpoint.sends.send(this, endpoint.staging.stage(message), length);
        if (result == SubmitResult.ACCEPTED) {
            message.position(message.limit());
        }
        return result;
    }

    /**
     * Sends a message; while there is no room, progresses the engine, so that handlers may run. The bytes are copied
     * before it returns.
     *
     * <p><b>In a callback of the engine</b>, which cannot wait, a message for which there is no room is queued on its
     * connection, and goes when there is, before all that is sent later. As much as the
     * {@linkplain ControlPathEndpoint.Builder#sendBacklog sendBacklog} can wait so; more is an exception, of a peer
     * that does not read. So a handler that answers what it gets needs nothing else.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes, native or on the heap
     * @throws IllegalArgumentException if it is empty or too long
     * @throws ConnectionClosedException if the connection has ended, or ends meanwhile
     * @throws IllegalStateException inside a callback of the engine, if the connection's backlog is full
     * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted} while
     *     it waits
     * @throws DocaException if DOCA refuses; {@link DocaError#TIME_OUT} if there is no room for
     *     {@link ProgressEngine#timeout()}
     * @throws WrongThreadException if another thread owns the engine
     */
    public void send(MemorySegment message) {
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted(), () -> message.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * As {@link #send(MemorySegment)}.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes
     */
    public void send(byte[] message) {
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted(), message::clone);
        }
    }

    /**
     * As {@link #send(MemorySegment)}, for the bytes between position and limit.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes remaining; its position is moved to its
     *     limit
     */
    public void send(ByteBuffer message) {
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted(), () -> {
                byte[] copy = new byte[message.remaining()];
                message.get(copy);
                return copy;
            });
        }
    }

    /**
     * Counts what went over the control path, as DOCA does ({@code doca_comch_connection_update_info},
     * {@code _get_counter}).
     *
     * <p>{@link #sent()} and its like are this library's own counts, which any thread may read, and which are right to
     * the end.
     *
     * @return a snapshot; after the end of the connection, when DOCA does not tell any more, that of the program's last
     *     call, or zeros if there was none
     * @throws WrongThreadException if another thread owns the engine
     * @throws DocaException if DOCA refuses
     */
    public ConnectionCounters counters() {
        engine.checkOwner();
        if (life.isOpen()) {
            counts.readFromDoca(this);
        }
        return counts.ofDoca();
    }

    /**
     * How many messages were accepted to be sent. Any thread may ask, also when the connection has ended.
     *
     * @return since the connection began, those that {@linkplain #failed() failed} later included
     */
    public long sent() {
        return counts.sent.get();
    }

    /**
     * How long the messages were together that were accepted to be sent. Any thread may ask.
     *
     * @return bytes
     */
    public long sentBytes() {
        return counts.sentBytes.get();
    }

    /**
     * How many messages were received. Any thread may ask.
     *
     * @return since the connection began
     */
    public long received() {
        return counts.received.get();
    }

    /**
     * How long the messages were together that were received. Any thread may ask.
     *
     * @return bytes
     */
    public long receivedBytes() {
        return counts.receivedBytes.get();
    }

    /**
     * How many messages were accepted and could not be delivered. Any thread may ask.
     *
     * @return since the connection began; those that were lost with it are not among them
     */
    public long failed() {
        return counts.failed.get();
    }

    /**
     * How many times a message was not accepted because there was no room. Any thread may ask.
     *
     * @return since the connection began; each attempt counts
     */
    public long refused() {
        return counts.backPressure.refusals();
    }

    /**
     * How many times room ran out: episodes from a message that was not accepted to the next one that was. Any thread
     * may ask.
     *
     * @return since the connection began
     */
    public long backPressures() {
        return counts.backPressure.episodes();
    }

    /**
     * How many times the peer of a server's connection has stopped reading: for so long as
     * {@link ComchServer.Builder#warnIfStalled} says there was no room for a message, and none was taken. Any thread
     * may ask.
     *
     * @return episodes since the connection began; of a client's connection 0
     */
    public long stalls() {
        return outgoing.stalls.get();
    }

    /**
     * The ids of the peer's running consumers, as far as their events have arrived here.
     *
     * @return a snapshot, ascending
     * @throws WrongThreadException if another thread owns the engine
     */
    public int[] remoteConsumers() {
        engine.checkOwner();
        return events.peersConsumers();
    }

    /**
     * What the program attached, of any type.
     *
     * @return the object, or null
     */
    public @Nullable Object attachment() {
        return attachment;
    }

    /**
     * What the program attached, by its type: a handler needs no cast of its own.
     *
     * @param <T> what is attached
     * @param type its type
     * @return the object, or null
     * @throws ClassCastException if something else is attached
     */
    public <T> @Nullable T attachment(Class<T> type) {
        return Attachments.as(type, attachment, this);
    }

    /**
     * Attaches an object of the program's, in place of the one before.
     *
     * @param object the object, or null
     * @return this
     */
    public ComchConnection attach(@Nullable Object object) {
        attachment = object;
        return this;
    }

    /**
     * On a server: ends the connection ({@code doca_comch_server_disconnect}). Its producers and consumers are closed
     * first, messages that were accepted still go out; what arrives meanwhile is discarded. {@code onDisconnected} is
     * not called. Does nothing if it has ended already.
     *
     * <p>Inside a callback of the engine it does not wait: the connection has ended for the program when this returns,
     * and ends for its peer, after all that was accepted, with progress to come.
     *
     * @throws IllegalStateException on a client: close the client instead
     * @throws WrongThreadException if another thread owns the engine, or that of a producer or consumer, and is no
     *     event loop's, which would be asked to do it
     * @throws DocaException if DOCA refuses
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, whose servers can end all connections
     *     only, by being closed
     */
    public void disconnect() {
        if (!(endpoint instanceof ComchServer)) {
            throw new IllegalStateException("a client ends its connection by being closed");
        }
        if (engine.otherLoopThread() == null) {
            engine.checkOwner();
        }
        if (life.isOpen()) {
            ServerCalls.checkDisconnect();
        }
        if (engine.isMine() && engine.isInCallbacks()) {
            life.leaveInCallback();
        } else {
            life.close();
        }
    }

    /**
     * Begins the settings of a producer.
     *
     * @param producerEngine the engine that it runs on: the control engine, or another one, also of another thread
     * @return the settings
     */
    public ComchProducer.Builder producer(ProgressEngine producerEngine) {
        return new ComchProducer.Builder(this, producerEngine);
    }

    /**
     * Begins the settings of a consumer.
     *
     * @param consumerEngine the engine that it runs on: the control engine, or another one, also of another thread
     * @param memory what it receives into; mapped for the device of {@link #endpoint()}, with
     *     {@link io.github.comch4j.core.Access#PCI_READ_WRITE}
     * @return the settings
     */
    public ComchConsumer.Builder consumer(ProgressEngine consumerEngine, MemoryMap memory) {
        return new ComchConsumer.Builder(this, consumerEngine, memory);
    }

    /**
     * Begins the settings of a producer whose messages are written in place, into slots of its own memory.
     *
     * @param producerEngine the engine that it runs on: the control engine, or another one, also of another thread
     * @param slotSize how long a message can be, bytes, at least 1
     * @return the settings
     * @throws IllegalArgumentException if {@code slotSize} is less than 1
     */
    public SlotProducer.Builder slotProducer(ProgressEngine producerEngine, int slotSize) {
        return new SlotProducer.Builder(this, producerEngine, slotSize);
    }

    /**
     * Begins the settings of a consumer whose messages arrive in slots of its own memory.
     *
     * @param consumerEngine the engine that it runs on: the control engine, or another one, also of another thread
     * @param slotSize how long a message can be, bytes, at least 1
     * @return the settings
     * @throws IllegalArgumentException if {@code slotSize} is less than 1
     */
    public SlotConsumer.Builder slotConsumer(ProgressEngine consumerEngine, int slotSize) {
        return new SlotConsumer.Builder(this, consumerEngine, slotSize);
    }

    /**
     * For logs.
     *
     * @return its number, and whose connection it is
     */
    @Override
    public String toString() {
        return "connection " + number + " of " + endpoint;
    }

    IncomingEvents events() {
        return events;
    }

    ConnectionLife life() {
        return life;
    }

    MessageCounts counts() {
        return counts;
    }

    OutgoingMessages outgoing() {
        return outgoing;
    }

    /** Whether this process ends it, or has done so. */
    boolean isEnding() {
        return life.isEnding() || !life.isOpen();
    }

    long key() {
        return events.key();
    }

    long address() {
        return address;
    }

    Engine controlEngine() {
        return engine;
    }

    /**
     * What to add to a refusal of memory that is not mapped for the connection's device, which is all that DOCA can use
     * here; empty if it is.
     */
    String hintAbout(MemoryMap memory) {
        Device device = endpoint.device();
        boolean known =
                memory.devices().stream().anyMatch(each -> each.address().equals(device.address()));
        return known
                ? ""
                : ": " + memory + " is mapped for " + memory.devices() + ", not for the connection's " + device;
    }
}
