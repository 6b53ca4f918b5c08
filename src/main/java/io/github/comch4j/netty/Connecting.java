package io.github.comch4j.netty;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An attempt of a channel to connect: its promise, and the time that it has. Belongs to the loop. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
final class Connecting {
    private final ChannelPromise promise;
    private final @Nullable Future<?> timeout;

    Connecting(ComchChannel channel, ComchAddress address, ChannelPromise promise) {
        this.promise = promise;
        int millis = channel.config().getConnectTimeoutMillis();
        this.timeout = millis <= 0
                ? null
                : channel.eventLoop()
                        .schedule(
                                () -> {
                                    if (promise.tryFailure(new ConnectTimeoutException(
                                            "connection timed out after " + millis + " ms: " + address))) {
                                        channel.close();
                                    }
                                },
                                millis,
                                TimeUnit.MILLISECONDS);
        promise.addListener(done -> {
            if (timeout != null) {
                timeout.cancel(false);
            }
            if (done.isCancelled()) {
                channel.close();
            }
        });
    }

    /** Fails unless a channel may connect to an address. */
    static ComchAddress check(
            SocketAddress to, @Nullable SocketAddress from, @Nullable Connecting before, boolean active) {
        if (before != null) {
            throw new ConnectionPendingException();
        }
        if (active) {
            throw new AlreadyConnectedException();
        }
        if (!(to instanceof ComchAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        if (from != null) {
            throw new UnsupportedOperationException("a channel that connects has no address of its own");
        }
        return address;
    }

    /** The server has accepted. Returns false if nobody wants the connection any more. */
    boolean succeeded() {
        return promise.trySuccess();
    }

    void failed(IOException cause) {
        promise.tryFailure(cause);
    }

    /** The channel is closed. */
    void closed() {
        promise.tryFailure(new ClosedChannelException());
    }

    static IOException refused(ComchAddress address, @Nullable ComchClient client) {
        DocaException refusal = client == null ? null : client.refusal();
        String reason = refusal == null || refusal.reason().isEmpty()
                ? "refused, or there is no such service"
                : refusal.reason();
        ConnectException failure = new ConnectException(reason + ": " + address);
        failure.initCause(refusal);
        return failure;
    }

    static IOException failure(ComchAddress address, RuntimeException cause) {
        ConnectException failure = new ConnectException(cause.getMessage() + ": " + address);
        failure.initCause(cause);
        return failure;
    }
}
