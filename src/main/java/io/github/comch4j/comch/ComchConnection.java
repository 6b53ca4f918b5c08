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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection between a client and a server ({@code doca_comch_connection}). It carries messages, and the producers
 * and consumers of the fast path.
 *
 * <p>The library creates a connection when a client has reached a server. The connection ends when either of them ends
 * it or dies. After that, sending throws {@link ConnectionClosedException}. The {@link #attachment()}, the last
 * {@link #counters()} and the library's own counts remain available.
 *
 * <p><b>When the peer ends the connection or dies,</b> this process does not know it until its engine makes progress.
 * Until then, the connection accepts messages and sends while there is room, and refuses them as for any other lack of
 * room. Then all of the following happen, each inside {@code progress()} of the engine concerned:
 *
 * <ul>
 *   <li>The engine delivers messages that have already arrived, <em>before</em> it reports the end of the connection.
 *   <li>{@link ControlPathEndpoint.Builder#onDisconnected} runs once, and {@link #state()} is no longer
 *       {@link ConnectionState#OPEN}. A client is {@linkplain ComchClient#isConnected() no longer connected}. Its
 *       context becomes STOPPING, and then IDLE when its producers and consumers have ended.
 *   <li>The producers and consumers of the connection stop. Whatever they had in flight and had not arrived fails
 *       ({@link ComchProducer.Builder#onCompletion}, {@link ComchConsumer.Builder#onReceiveFailed}). A successful send
 *       is in the peer's memory, but the peer's program has not necessarily seen it. On a client without a completion
 *       handler, {@code progress()} throws for the first send that fails.
 *   <li>The library closes each producer and consumer at the end of the {@code progress()} call of its own engine in
 *       which it has become idle, after all callbacks have returned. Its counts can still be read. Messages in slots
 *       that were not polled yet can still be polled; the library closes their consumer after the last of them. The
 *       program may close producers and consumers earlier, but does not have to.
 * </ul>
 *
 * <p>The order of {@code onDisconnected} and these failures is not defined, even on one engine. A send may fail, or a
 * call may throw {@link ConnectionClosedException}, before or after {@code onDisconnected} has run. A program that
 * handles both can ignore such failures and let {@code onDisconnected} alone decide. Lost messages are not reported
 * individually.
 *
 * <p>All methods must be called by the thread that owns the control engine, which is the engine of the server or
 * client. There are two exceptions: the owner of the engine that is passed to {@link #producer} or {@link #consumer}
 * calls these methods, and any thread may call a method whose description says so.
 */
// The work is done by ConnectionLife, IncomingEvents, MessageCounts and MessageSends.
public final class ComchConnection {
    static {
        Internals.open(ComchConnection.class, connection -> connection.life);
    }

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final ControlPathEndpoint endpoint;
    private final long number;
    private final Engine engine;
    private final long address;
    private final MessageCounts counts = new MessageCounts();
    private final IncomingEvents events;
    private final ConnectionLife life;
    private final OutgoingMessages outgoing;
    private @Nullable Object attachment;

    private ComchConnection(
            ControlPathEndpoint endpoint,
            long number,
            long address,
            IncomingEvents events,
            ConnectionLife life,
            OutgoingMessages outgoing) {
        this.endpoint = endpoint;
        this.number = number;
        this.engine = life.engine();
        this.address = address;
        this.events = events;
        this.life = life;
        this.outgoing = outgoing;
    }

    /** The connection with this native object, which is new. Fails if the endpoint is closed. */
    static ComchConnection begin(ControlPathEndpoint endpoint, long address) {
        long number = NUMBERS.incrementAndGet();
        ConnectionLife life = new ConnectionLife(endpoint, number);
        IncomingEvents events = new IncomingEvents(endpoint);
        life.attachToEndpoint();
        events.register(address);
        OutgoingMessages outgoing = endpoint.sends.begin(events.key());
        ComchConnection connection = new ComchConnection(endpoint, number, address, events, life, outgoing);
        life.belongTo(connection);
        events.belongTo(connection);
        return connection;
    }

    /**
     * Returns the server or client that this connection belongs to. Any thread may call this method.
     *
     * @return the endpoint
     */
    public ControlPathEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Returns the engine that this connection runs on, which is the engine of its server or client. Any thread may call
     * this method.
     *
     * @return the control engine
     */
    public ProgressEngine engine() {
        return endpoint.engine();
    }

    /**
     * Returns the number of this connection, which is unique among all connections of this process, including ended
     * ones. Logs, flight recordings and JMX use it in names. Any thread may call this method.
     *
     * @return 1 for the first connection, 2 for the next one, and so on
     */
    public long number() {
        return number;
    }

    /**
     * Returns whether this connection can be used and, if not, why. Any thread may call this method.
     *
     * @return the state
     */
    public ConnectionState state() {
        return life.state();
    }

    /**
     * Returns the device of the server or client that this connection belongs to. Its producers and consumers use the
     * same device. Any thread may call this method.
     *
     * @return the device
     */
    public Device device() {
        return endpoint.device();
    }

    /**
     * Returns whether messages can be sent. Any thread may call this method.
     *
     * @return whether the state is {@link ConnectionState#OPEN}
     */
    public boolean isOpen() {
        return life.isOpen();
    }

    /**
     * Sends a message if there is room ({@code …_task_send_alloc_init}, {@code doca_task_submit}). Never waits. Copies
     * the bytes before it returns. Callbacks may call this method.
     *
     * <p>DOCA may accept a message before the peer's receive queue has room for it. Such a message keeps its task until
     * there is room. In that case, {@link SubmitResult#NO_TASK} indicates that the peer is slow.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes, native or on the heap
     * @return {@link SubmitResult#ACCEPTED}; any other result names what is missing: make progress, then try again
     * @throws IllegalArgumentException if the message is empty or too long
     * @throws ConnectionClosedException if the connection has ended
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} if the message is too long for the peer
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(MemorySegment message) {
        int length = endpoint.sends.check(this, message.byteSize());
        return endpoint.sends.send(this, endpoint.staging.stage(message), length);
    }

    /**
     * Sends a message from an array, as {@link #trySend(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes
     * @return {@link SubmitResult#ACCEPTED}; any other result names what is missing: make progress, then try again
     */
    public SubmitResult trySend(byte[] message) {
        int length = endpoint.sends.check(this, message.length);
        return endpoint.sends.send(this, endpoint.staging.stage(message), length);
    }

    /**
     * Sends the bytes between the buffer's position and limit, as {@link #trySend(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes remaining; if the message is accepted, its
     *     position moves to its limit
     * @return {@link SubmitResult#ACCEPTED}; any other result names what is missing: make progress, then try again
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
     * Sends a message, and waits: while there is no room, progresses the engine, so that handlers may run. Copies the
     * bytes before it returns. A callback of the engine cannot wait and calls {@link #enqueue(MemorySegment)}.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes, native or on the heap
     * @throws IllegalArgumentException if the message is empty or too long
     * @throws ConnectionClosedException if the connection has ended, or ends while this method waits
     * @throws IllegalStateException inside a callback of the engine
     * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted} while
     *     it waits
     * @throws DocaException if DOCA refuses; {@link DocaError#TIME_OUT} if there is no room for
     *     {@link ProgressEngine#timeout()}
     * @throws WrongThreadException if another thread owns the engine
     */
    public void send(MemorySegment message) {
        endpoint.sends.checkMayWait(this);
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted());
        }
    }

    /**
     * Sends a message from an array, as {@link #send(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes
     */
    public void send(byte[] message) {
        endpoint.sends.checkMayWait(this);
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted());
        }
    }

    /**
     * Sends the bytes between the buffer's position and limit, as {@link #send(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes remaining; its position moves to its limit
     */
    public void send(ByteBuffer message) {
        endpoint.sends.checkMayWait(this);
        if (!trySend(message).accepted()) {
            endpoint.sends.await(this, () -> trySend(message).accepted());
        }
    }

    /**
     * Sends a message or, if there is no room, queues it on its connection. Never waits. Copies the bytes before it
     * returns. The library sends queued messages when there is room, before anything that is sent later. A handler can
     * therefore answer the messages it gets without further measures.
     *
     * <p>The size of the queue is limited by {@linkplain ControlPathEndpoint.Builder#sendBacklog sendBacklog}.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes, native or on the heap
     * @throws IllegalArgumentException if the message is empty or too long
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the connection's backlog is full, as the peer does not read
     * @throws DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the engine
     */
    public void enqueue(MemorySegment message) {
        if (!trySend(message).accepted()) {
            endpoint.sends.queue(this, message.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * Sends or queues a message from an array, as {@link #enqueue(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes
     */
    public void enqueue(byte[] message) {
        if (!trySend(message).accepted()) {
            endpoint.sends.queue(this, message.clone());
        }
    }

    /**
     * Sends or queues the bytes between the buffer's position and limit, as {@link #enqueue(MemorySegment)} does.
     *
     * @param message 1 to {@link ControlPathEndpoint#maxMessageSize()} bytes remaining; its position moves to its limit
     */
    public void enqueue(ByteBuffer message) {
        if (!trySend(message).accepted()) {
            byte[] copy = new byte[message.remaining()];
            message.get(message.position(), copy);
            endpoint.sends.queue(this, copy);
            message.position(message.limit());
        }
    }

    /**
     * Returns DOCA's counts of this connection's control path ({@code doca_comch_connection_update_info},
     * {@code _get_counter}).
     *
     * <p>{@link #sent()} and the similar methods return this library's own counts. Any thread may read those, and they
     * remain correct after the connection has ended.
     *
     * @return a snapshot; after the end of the connection, when DOCA no longer reports counts, the snapshot of the
     *     program's last call, or zeros if there was none
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
     * Returns how many messages were accepted for sending. Any thread may call this method, also after the connection
     * has ended.
     *
     * @return messages since the connection began, including those that later {@linkplain #failed() failed}
     */
    public long sent() {
        return counts.sent.get();
    }

    /**
     * Returns the total length of the messages that were accepted for sending. Any thread may call this method.
     *
     * @return bytes
     */
    public long sentBytes() {
        return counts.sentBytes.get();
    }

    /**
     * Returns how many messages were received. Any thread may call this method.
     *
     * @return messages since the connection began
     */
    public long received() {
        return counts.received.get();
    }

    /**
     * Returns the total length of the messages that were received. Any thread may call this method.
     *
     * @return bytes
     */
    public long receivedBytes() {
        return counts.receivedBytes.get();
    }

    /**
     * Returns how many messages were accepted but could not be delivered. Any thread may call this method.
     *
     * @return messages since the connection began, without those that were lost when it ended
     */
    public long failed() {
        return counts.failed.get();
    }

    /**
     * Returns how many times a message was not accepted because there was no room. Any thread may call this method.
     *
     * @return attempts since the connection began; each attempt counts
     */
    public long refused() {
        return counts.backPressure.refusals();
    }

    /**
     * Returns how many times room ran out. One such episode lasts from a message that was not accepted to the next one
     * that was. Any thread may call this method.
     *
     * @return episodes since the connection began
     */
    public long backPressures() {
        return counts.backPressure.episodes();
    }

    /**
     * Returns how many times the peer of a server's connection has stopped reading. A peer has stopped reading if there
     * was no room for a message and the peer took none for the time set by {@link ComchServer.Builder#warnIfStalled}.
     * Any thread may call this method.
     *
     * @return episodes since the connection began; 0 for a client's connection
     */
    public long stalls() {
        return outgoing.stalls.get();
    }

    /**
     * Returns the ids of the peer's running consumers whose events have arrived here.
     *
     * @return a snapshot, ascending
     * @throws WrongThreadException if another thread owns the engine
     */
    public int[] remoteConsumers() {
        engine.checkOwner();
        return events.peersConsumers();
    }

    /**
     * Returns the object that the program has attached, of any type.
     *
     * @return the object, or null
     */
    public @Nullable Object attachment() {
        return attachment;
    }

    /**
     * Returns the object that the program has attached, cast to the given type.
     *
     * @param <T> the type of the attached object
     * @param type the class of that type
     * @return the object, or null
     * @throws ClassCastException if the attached object is of another type
     */
    public <T> @Nullable T attachment(Class<T> type) {
        return Attachments.as(type, attachment, this);
    }

    /**
     * Attaches an object of the program, which replaces the previous one.
     *
     * @param object the object, or null
     * @return this
     */
    public ComchConnection attach(@Nullable Object object) {
        attachment = object;
        return this;
    }

    /**
     * Ends the connection, on a server ({@code doca_comch_server_disconnect}). First closes its producers and
     * consumers. Messages that were accepted are still sent, and messages that arrive meanwhile are discarded.
     * {@code onDisconnected} is not called. Does nothing if the connection has ended already.
     *
     * <p>Inside a callback of the engine, this method does not wait. For this program, the connection has ended when
     * the method returns. For the peer, it ends during later progress, after all accepted messages.
     *
     * @throws IllegalStateException on a client: close the client instead
     * @throws WrongThreadException if another thread owns the engine, or the engine of a producer or consumer; not if
     *     that is an event loop's thread, because the loop then does the work
     * @throws DocaException if DOCA refuses
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, whose servers can only end all
     *     connections together, by being closed
     */
    public void disconnect() {
        if (!(endpoint instanceof ComchServer)) {
            throw new IllegalStateException(
                    "a client cannot disconnect: its connection ends when the client is closed");
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
     * Creates a builder for a producer on this connection.
     *
     * @param producerEngine the engine that the producer runs on: the control engine or another one, which may belong
     *     to another thread
     * @return the builder
     */
    public ComchProducer.Builder producer(ProgressEngine producerEngine) {
        return new ComchProducer.Builder(this, producerEngine);
    }

    /**
     * Creates a builder for a consumer on this connection.
     *
     * @param consumerEngine the engine that the consumer runs on: the control engine or another one, which may belong
     *     to another thread
     * @param memory the memory to receive into, mapped for the device of {@link #endpoint()} with
     *     {@link io.github.comch4j.core.Access#PCI_READ_WRITE}
     * @return the builder
     */
    public ComchConsumer.Builder consumer(ProgressEngine consumerEngine, MemoryMap memory) {
        return new ComchConsumer.Builder(this, consumerEngine, memory);
    }

    /**
     * Creates a builder for a producer whose messages are written in place, into slots of its own memory.
     *
     * @param producerEngine the engine that the producer runs on: the control engine or another one, which may belong
     *     to another thread
     * @param slotSize the greatest length of a message in bytes, at least 1
     * @return the builder
     * @throws IllegalArgumentException if {@code slotSize} is less than 1
     */
    public SlotProducer.Builder slotProducer(ProgressEngine producerEngine, int slotSize) {
        return new SlotProducer.Builder(this, producerEngine, slotSize);
    }

    /**
     * Creates a builder for a consumer whose messages arrive in slots of its own memory.
     *
     * @param consumerEngine the engine that the consumer runs on: the control engine or another one, which may belong
     *     to another thread
     * @param slotSize the greatest length of a message in bytes, at least 1
     * @return the builder
     * @throws IllegalArgumentException if {@code slotSize} is less than 1
     */
    public SlotConsumer.Builder slotConsumer(ProgressEngine consumerEngine, int slotSize) {
        return new SlotConsumer.Builder(this, consumerEngine, slotSize);
    }

    /**
     * Returns a description for logs.
     *
     * @return the connection's number, and the endpoint that it belongs to
     */
    @Override
    public String toString() {
        return life.name();
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

    long address() {
        return address;
    }

    Engine controlEngine() {
        return engine;
    }
}
