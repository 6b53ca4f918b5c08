package io.github.comch4j.io;

import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.link.Framing;
import java.util.Objects;
import java.util.function.Function;

/**
 * What the builders of sockets and server sockets have in common.
 *
 * @param <B> the builder's own type
 */
abstract sealed class SocketBuilder<B extends SocketBuilder<B>>
        permits MessageSocket.Builder, MessageServerSocket.Builder {
    private static final long DEFAULT_RECEIVE_LIMIT = 1 << 20;
    private static final long DEFAULT_SEND_BUFFER = 1 << 20;
    private static final long DEFAULT_SEND_LIMIT = 16 << 20;

    private static final long LARGEST_LIMIT = 1L << 50; // sums with it are no overflow

    final EventLoop loop;
    final String name;
    final OneUse use;
    private int sendTasks; // 0: the default of the library, or of DOCA
    private int maxMessageSize;
    private int receiveQueueSize;
    long receiveLimit = DEFAULT_RECEIVE_LIMIT;
    long sendBuffer = DEFAULT_SEND_BUFFER;
    long sendLimit = DEFAULT_SEND_LIMIT;
    boolean plainPeer;

    SocketBuilder(String type, EventLoop loop, String name) {
        this.loop = Objects.requireNonNull(loop, "loop");
        this.name = Objects.requireNonNull(name, "name");
        this.use = new OneUse(type + " of \"" + name + "\"");
    }

    /**
     * Sets how many messages can be in flight at a time; for a server, on all its sockets together
     * ({@code …_task_send_set_conf}). Default: as in {@link ControlPathEndpoint.Builder#sendTasks}.
     *
     * @param tasks 1 to {@link Capabilities#maxSendTasks()}
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B sendTasks(int tasks) {
        sendTasks = use.atLeast(1, "sendTasks", tasks);
        return self();
    }

    /**
     * Sets the size of the largest message ({@code …_set_max_msg_size}). Both ends should use the same size. The header
     * of a message takes 8 of these bytes, unless the peer is {@linkplain #plainPeer() plain}; see
     * {@link MessageSocket#maxMessageSize()}. Default: DOCA's.
     *
     * @param bytes at least 64, at most {@link Capabilities#maxMessageSize()}
     * @return this
     * @throws IllegalArgumentException if it is less than 64
     */
    public B maxMessageSize(int bytes) {
        maxMessageSize = use.atLeast(Framing.LEAST_MESSAGE, "maxMessageSize", bytes);
        return self();
    }

    /**
     * Sets how many messages the device holds until the loop receives them ({@code …_set_recv_queue_size}). Default:
     * DOCA's.
     *
     * @param messages 1 to {@link Capabilities#maxReceiveQueueSize()}
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B receiveQueueSize(int messages) {
        receiveQueueSize = use.atLeast(1, "receiveQueueSize", messages);
        return self();
    }

    /**
     * Sets how much a socket holds for {@link MessageSocket#receive} before its peer must wait. Each message counts
     * with its length plus 64 bytes. The limit is at least eight of the longest messages. Default: 1 MiB for each
     * socket.
     *
     * @param bytes at least 1
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B receiveLimit(long bytes) {
        receiveLimit = Math.min(use.atLeast(1, "receiveLimit", bytes), LARGEST_LIMIT);
        return self();
    }

    /**
     * Sets how much a socket holds of the messages given to {@link MessageSocket#send} that DOCA has not accepted yet,
     * before senders must wait. Each message counts with its length plus 64 bytes; messages of
     * {@link MessageSocket#sendAsync} count, too. The buffer holds at least eight of the longest messages. Default: 1
     * MiB for each socket. The socket allocates only what the waiting messages need.
     *
     * @param bytes at least 1
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B sendBuffer(long bytes) {
        sendBuffer = Math.min(use.atLeast(1, "sendBuffer", bytes), LARGEST_LIMIT);
        return self();
    }

    /**
     * Sets the limit for the total length of a socket's messages given to {@link MessageSocket#sendAsync} that the loop
     * has not finished yet, that is, neither sent nor cancelled. The socket does not accept messages beyond the limit.
     * Default: 16 MiB for each socket.
     *
     * @param bytes at least 1
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public B sendLimit(long bytes) {
        sendLimit = Math.min(use.atLeast(1, "sendLimit", bytes), LARGEST_LIMIT);
        return self();
    }

    /**
     * Declares that the peer is not a socket. Messages travel unchanged, without the header of sockets. The socket
     * sends no messages of its own, which would tell the peer how much it may send, or why the connection ends. Neither
     * end can detect a gap, or whether it has received everything. If 4 MiB more than the {@code receiveLimit} are
     * waiting to be received, the connection ends. Default: the peer is a socket, or follows {@code docs/sockets.md}.
     *
     * @return this
     */
    public B plainPeer() {
        use.check();
        plainPeer = true;
        return self();
    }

    abstract B self();

    /**
     * The settings of the server or client, and the events that all sockets have.
     *
     * @param linkOf what the socket has for a connection, also for a new one; called in the loop
     */
    final <E extends ControlPathEndpoint.Builder<E>> E apply(E endpoint, Function<ComchConnection, SocketLink> linkOf) {
        if (sendTasks > 0) {
            endpoint.sendTasks(sendTasks);
        }
        if (maxMessageSize > 0) {
            endpoint.maxMessageSize(maxMessageSize);
        }
        if (receiveQueueSize > 0) {
            endpoint.receiveQueueSize(receiveQueueSize);
        }
        return endpoint.onMessage(
                        (connection, message) -> linkOf.apply(connection).message(message))
                .onWritable(connection -> linkOf.apply(connection).room())
                .onSendFailed((connection, error) -> linkOf.apply(connection).sendFailed(error))
                .onDisconnected(connection -> linkOf.apply(connection).end());
    }
}
