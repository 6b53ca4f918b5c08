package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ChannelCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client on the host: an endpoint that connects to one service at a time ({@code doca_comm_channel_ep_connect}).
 * {@link ChannelEndpoint.Builder#client} creates it.
 *
 * {@snippet file="Pieces.java" region="channelclient"}
 *
 * <p>The client must send first, because a service may not know of the client before that.
 */
public final class ChannelClient extends ChannelEndpoint {
    private static final long RETRY_NANOS = 10_000_000;
    private static final long SHORTEST_NAP = 50_000;
    private static final long LONGEST_NAP = 1_000_000;

    private volatile @Nullable ChannelPeer peer; // changed in the endpoint
    private volatile boolean active; // has connected, or tried to

    ChannelClient(Builder builder) {
        super(builder, "channel client on " + builder.device);
    }

    /**
     * Makes one attempt to connect to a service ({@code doca_comm_channel_ep_connect}), and returns at once. Call
     * {@link ChannelPeer#update()} to continue the attempt and to see how it ends; the service must receive in the
     * meantime. If the peer is {@link ChannelPeerState#ABORTED} or {@link ChannelPeerState#BROKEN}, you must disconnect
     * it before the client can connect again.
     *
     * @param name the service's name
     * @return the service, usually {@link ChannelPeerState#IN_PROGRESS}
     * @throws IllegalArgumentException if the name is empty, contains NUL, or is too long for {@link Carrier#COMCH}
     * @throws IllegalStateException if the client has a peer, or is closed
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws DocaException if DOCA refuses: {@link DocaError#NOT_SUPPORTED} on a DPU, {@link DocaError#INVALID_VALUE}
     *     for a name that is too long for {@link Carrier#COMM_CHANNEL}
     */
    public ChannelPeer connect(String name) {
        checkName(name);
        try (EngineEvents.Entered _ = enter()) {
            return begin(name);
        }
    }

    /**
     * Connects to a service. While no service of that name exists or accepts the client, retries until the time is up.
     * Stops earlier if the client is refused for a reason that does not change with time, for example because the
     * service belongs to another user.
     *
     * @param name the service's name
     * @param timeout the longest time to try
     * @return the service, {@link ChannelPeerState#CONNECTED}
     * @throws IllegalArgumentException if the name is empty, contains NUL, or is too long for {@link Carrier#COMCH}
     * @throws IllegalStateException if the client has a peer, or is closed before or during the call
     * @throws io.github.comch4j.WaitInterruptedException if the thread is interrupted while it waits
     * @throws WrongThreadException if another thread is using the endpoint
     * @throws DocaException if DOCA refuses, as in {@link #connect(String)}; {@link DocaError#CONNECTION_ABORTED} if an
     *     attempt was refused, with the reason of the last refusal; {@link DocaError#TIME_OUT} if no attempt was
     *     answered
     */
    public ChannelPeer connect(String name, Duration timeout) {
        checkName(name);
        long deadline = Nanos.deadline(timeout);
        boolean refused = false;
        String reason = "no service of that name accepts clients of " + device(); // unless one is told
        try (EngineEvents.Entered _ = enter()) {
            while (true) {
                ChannelPeer attempt = begin(name);
                if (isConnected(attempt, deadline)) {
                    return attempt;
                }
                boolean answered = attempt.state != ChannelPeerState.IN_PROGRESS;
                refused |= answered;
                if (attempt.refusal != null && !attempt.refusal.reason().isEmpty()) {
                    reason = attempt.refusal.reason();
                }
                forget(attempt);
                if (!answered || attempt.refusedForGood || !nap(deadline, RETRY_NANOS)) {
                    String action = "connecting " + this + " to \"" + name + "\""
                            + (attempt.refusedForGood ? "" : " for " + Failures.text(timeout));
                    throw refused
                            ? Failures.refused(DocaError.CONNECTION_ABORTED, ChannelCalls.CONNECT_NAME, action, reason)
                            : Failures.refused(DocaError.TIME_OUT, ChannelCalls.CONNECT_NAME, action, "");
                }
            }
        }
    }

    private ChannelPeer begin(String name) {
        ChannelPeer present = peer;
        if (present != null) {
            throw new IllegalStateException(
                    this + " has a peer already (" + present.state() + "); disconnect it first");
        }
        ChannelPeer begun = link.connect(name);
        peer = begun;
        active = true;
        return begun;
    }

    /** Waits until the attempt has ended, or the time is up. */
    private boolean isConnected(ChannelPeer attempt, long deadline) {
        long pause = SHORTEST_NAP;
        try {
            while (attempt.state == ChannelPeerState.IN_PROGRESS) {
                link.update(attempt);
                if (attempt.state == ChannelPeerState.IN_PROGRESS && !nap(deadline, pause)) {
                    return false;
                }
                pause = Math.min(2 * pause, LONGEST_NAP);
            }
        } catch (RuntimeException | Error e) {
            forget(attempt);
            throw e;
        }
        return attempt.state == ChannelPeerState.CONNECTED;
    }

    private void forget(ChannelPeer attempt) {
        peer = null;
        if (!isClosed()) { // otherwise closing does it
            link.disconnect(attempt);
        }
        attempt.state = ChannelPeerState.DISCONNECTED;
    }

    @Override
    void disconnected(ChannelPeer gone) {
        peer = null;
    }

    /**
     * Returns the service that this client is connected to, is connecting to, or must be disconnected from. Any thread
     * may call this method.
     *
     * @return the peer; null if there is none
     */
    public @Nullable ChannelPeer peer() {
        return peer;
    }

    @Override
    void checkActive() {
        checkOpen();
        if (!active) {
            throw new IllegalStateException(this + " has not connected yet");
        }
    }

    @Override
    void checkReceiving() {
        ChannelPeer present = peer;
        if (present == null) {
            throw new IllegalStateException(this + " is not connected");
        }
        if (present.state == ChannelPeerState.ABORTED) {
            throw Failures.refused(
                    DocaError.CONNECTION_ABORTED,
                    ChannelCalls.RECEIVE_NAME,
                    "receiving from " + present,
                    present.reason());
        }
    }

    @Override
    void checkMoreCanCome() {
        checkReceiving();
        ChannelPeer present = peer;
        if (present != null && present.state == ChannelPeerState.BROKEN) {
            throw present.broken(ChannelCalls.RECEIVE_NAME, "receiving from ");
        }
    }

    static void checkName(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the name of a service must not be empty or contain NUL");
        }
    }
}
