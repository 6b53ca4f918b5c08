package io.github.comch4j.netty;

import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.netty.channel.ChannelOption;
import java.time.Duration;

/**
 * Options of {@link ComchChannel} and {@link ComchServerChannel} that other transports do not have. They take effect
 * when the channel connects or is bound. For a server, set them on the server channel.
 *
 * @param <T> the type of the value
 */
public final class ComchChannelOption<T> extends ChannelOption<T> {
    /**
     * The maximum length of a control path message in bytes, of which the header takes 8 ({@code docs/sockets.md}).
     * Both ends should agree. Default: DOCA's.
     */
    public static final ChannelOption<Integer> MAX_MESSAGE_SIZE = valueOf(ComchChannelOption.class, "MAX_MESSAGE_SIZE");

    /**
     * How many messages can be in flight at a time, for all channels of a server together. Default: as in
     * {@link ControlPathEndpoint.Builder#sendTasks}.
     */
    public static final ChannelOption<Integer> SEND_TASKS = valueOf(ComchChannelOption.class, "SEND_TASKS");

    /** How many messages the device keeps for the loop. Default: DOCA's. */
    public static final ChannelOption<Integer> RECEIVE_QUEUE_SIZE =
            valueOf(ComchChannelOption.class, "RECEIVE_QUEUE_SIZE");

    /**
     * Whether the peer uses neither headers nor windows ({@code docs/sockets.md}) and gets only the program's bytes.
     * Neither end then detects a gap, or knows whether it has received everything. Default: false.
     */
    public static final ChannelOption<Boolean> PLAIN_PEER = valueOf(ComchChannelOption.class, "PLAIN_PEER");

    /**
     * How long a client does not read before a server ends its connection, as in
     * {@link ComchServer.Builder#disconnectIfStalled}. The option has no effect on a channel that connects. Default:
     * never.
     */
    public static final ChannelOption<Duration> DISCONNECT_IF_STALLED =
            valueOf(ComchChannelOption.class, "DISCONNECT_IF_STALLED");

    @SuppressWarnings("deprecation")
    private ComchChannelOption() {
        super(null);
    }
}
