package io.github.comch4j.netty;

import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.netty.channel.ChannelOption;
import java.time.Duration;

/**
 * Options of {@link ComchChannel} and {@link ComchServerChannel} that other transports do not have. They take effect
 * when the channel connects or is bound; on a server they are options of the server channel.
 *
 * @param <T> the type of the value
 */
public final class ComchChannelOption<T> extends ChannelOption<T> {
    /**
     * The largest message of the control path, bytes, of which the header takes 8 ({@code docs/sockets.md}); both ends
     * should agree. Default: DOCA's.
     */
    public static final ChannelOption<Integer> MAX_MESSAGE_SIZE = valueOf(ComchChannelOption.class, "MAX_MESSAGE_SIZE");

    /**
     * How many messages can be on their way at a time, of a server's channels all together. Default: as in
     * {@link ControlPathEndpoint.Builder#sendTasks}.
     */
    public static final ChannelOption<Integer> SEND_TASKS = valueOf(ComchChannelOption.class, "SEND_TASKS");

    /** How many messages the device keeps for the loop. Default: DOCA's. */
    public static final ChannelOption<Integer> RECEIVE_QUEUE_SIZE =
            valueOf(ComchChannelOption.class, "RECEIVE_QUEUE_SIZE");

    /**
     * The peer knows nothing of headers and windows ({@code docs/sockets.md}) and gets the program's bytes only:
     * neither end sees a gap then, or whether it has all. Default: false.
     */
    public static final ChannelOption<Boolean> PLAIN_PEER = valueOf(ComchChannelOption.class, "PLAIN_PEER");

    /**
     * After how long a server ends the connection of a client that does not read. Default: never. As
     * {@link ComchServer.Builder#disconnectIfStalled}; without effect on a channel that connects.
     */
    public static final ChannelOption<Duration> DISCONNECT_IF_STALLED =
            valueOf(ComchChannelOption.class, "DISCONNECT_IF_STALLED");

    @SuppressWarnings("deprecation")
    private ComchChannelOption() {
        super(null);
    }
}
