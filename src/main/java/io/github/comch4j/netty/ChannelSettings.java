package io.github.comch4j.netty;

import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.link.Framing;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The values of {@link ComchChannelOption}s, and of the receive buffer; a server's are those of its channels, too. */
final class ChannelSettings {
    private static final int DEFAULT_RECEIVE_BUFFER = 1 << 20;

    private volatile int maxMessageSize; // 0: the default of DOCA, or of the library
    private volatile int sendTasks;
    private volatile int receiveQueueSize;
    private volatile int receiveBuffer = DEFAULT_RECEIVE_BUFFER;
    private volatile boolean plainPeer;
    private volatile @Nullable Duration stallLimit;

    static final ChannelOption<?>[] OPTIONS = {
        ChannelOption.SO_RCVBUF,
        ComchChannelOption.MAX_MESSAGE_SIZE,
        ComchChannelOption.SEND_TASKS,
        ComchChannelOption.RECEIVE_QUEUE_SIZE,
        ComchChannelOption.PLAIN_PEER,
        ComchChannelOption.DISCONNECT_IF_STALLED
    };

    ChannelSettings copy() {
        ChannelSettings copy = new ChannelSettings();
        copy.maxMessageSize = maxMessageSize;
        copy.sendTasks = sendTasks;
        copy.receiveQueueSize = receiveQueueSize;
        copy.receiveBuffer = receiveBuffer;
        copy.plainPeer = plainPeer;
        copy.stallLimit = stallLimit;
        return copy;
    }

    int receiveBuffer() {
        return receiveBuffer;
    }

    boolean plainPeer() {
        return plainPeer;
    }

    /** Whether a server ends connections whose clients do not read, which it sees in their messages only. */
    boolean endsStalled() {
        return stallLimit != null;
    }

    /** Sets an option; false if it is none of these. */
    boolean set(ChannelOption<?> option, Object value) {
        if (option == ChannelOption.SO_RCVBUF) {
            receiveBuffer = atLeast(1, option, value);
        } else if (option == ComchChannelOption.MAX_MESSAGE_SIZE) {
            maxMessageSize = atLeast(Framing.LEAST_MESSAGE, option, value);
        } else if (option == ComchChannelOption.SEND_TASKS) {
            sendTasks = atLeast(1, option, value);
        } else if (option == ComchChannelOption.RECEIVE_QUEUE_SIZE) {
            receiveQueueSize = atLeast(1, option, value);
        } else if (option == ComchChannelOption.PLAIN_PEER) {
            plainPeer = (Boolean) value;
        } else if (option == ComchChannelOption.DISCONNECT_IF_STALLED) {
            stallLimit = (Duration) value;
        } else {
            return false;
        }
        return true;
    }

    private static int atLeast(int least, ChannelOption<?> option, Object value) {
        int number = (Integer) value;
        if (number < least) {
            throw new IllegalArgumentException(option + " " + number + " is less than " + least);
        }
        return number;
    }

    /** The value of an option; null if it is none of these. */
    @Nullable
    Object get(ChannelOption<?> option) {
        if (option == ChannelOption.SO_RCVBUF) {
            return receiveBuffer;
        } else if (option == ComchChannelOption.MAX_MESSAGE_SIZE) {
            return maxMessageSize;
        } else if (option == ComchChannelOption.SEND_TASKS) {
            return sendTasks;
        } else if (option == ComchChannelOption.RECEIVE_QUEUE_SIZE) {
            return receiveQueueSize;
        } else if (option == ComchChannelOption.PLAIN_PEER) {
            return plainPeer;
        } else if (option == ComchChannelOption.DISCONNECT_IF_STALLED) {
            return stallLimit;
        }
        return null;
    }

    <B extends ControlPathEndpoint.Builder<B>> B apply(B endpoint) {
        if (maxMessageSize > 0) {
            endpoint.maxMessageSize(maxMessageSize);
        }
        if (sendTasks > 0) {
            endpoint.sendTasks(sendTasks);
        }
        if (receiveQueueSize > 0) {
            endpoint.receiveQueueSize(receiveQueueSize);
        }
        Duration limit = stallLimit;
        if (limit != null && endpoint instanceof ComchServer.Builder server) {
            server.disconnectIfStalled(limit);
        }
        return endpoint;
    }
}
