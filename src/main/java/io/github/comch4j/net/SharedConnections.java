package io.github.comch4j.net;

import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.streams.BlockingStream;
import io.github.comch4j.streams.ConnectionWatch;
import io.github.comch4j.streams.PeerLimits;
import io.github.comch4j.streams.StreamOpener;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The connections that the sockets of this process share, one for each service: drivers make a factory for each socket.
 * One that no socket has used for some time is ended, with its thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the stream
final class SharedConnections {
    private static final long IDLE_SECONDS = 10;
    private static final Map<ComchAddress, SharedConnections> ALL = new HashMap<>(); // guarded by itself

    private final ComchAddress server;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("comch-sockets", true), ComchIoHandler.newFactory());
    private final StreamOpener opener;
    private int users; // guarded by ALL, as the next one
    private int uses;

    private SharedConnections(ComchAddress server) {
        this.server = server;
        this.opener = StreamOpener.connecting(loops, server, PeerLimits.USUAL, ConnectionWatch.NONE);
        ExitFlush.add(this, this::leave);
    }

    /** Opens a stream; the result is completed by the loop's thread, in the given time and a little more. */
    static CompletableFuture<BlockingStream> open(ComchAddress server, Duration patience) {
        SharedConnections shared;
        synchronized (ALL) {
            shared = ALL.computeIfAbsent(server, SharedConnections::new);
            shared.users++;
            shared.uses++;
        }
        return shared.open(patience);
    }

    private CompletableFuture<BlockingStream> open(Duration patience) {
        CompletableFuture<BlockingStream> result = new CompletableFuture<>();
        opener.open(server.service(), patience, BlockingStream::of).addListener(opened -> {
            if (!opened.isSuccess()) {
                result.completeExceptionally(opened.cause());
                left();
                return;
            }
            BlockingStream stream = (BlockingStream) opened.getNow();
            ExitFlush.add(this, stream);
            stream.channel().closeFuture().addListener(closed -> left());
            if (!result.complete(stream)) {
                stream.reset(); // nobody waits for it any more
            }
        });
        return result;
    }

    private void left() {
        int then;
        synchronized (ALL) {
            if (--users > 0) {
                return;
            }
            then = uses;
        }
        if (!loops.isShuttingDown()) {
            loops.schedule(() -> endIfIdle(then), IDLE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void endIfIdle(int then) {
        synchronized (ALL) {
            if (users > 0 || uses != then) {
                return;
            }
            ALL.remove(server, this);
        }
        end();
    }

    /** The process ends; its hooks may open sockets still, which have a connection of their own then. */
    private Future<?> leave() {
        synchronized (ALL) {
            ALL.remove(server, this);
        }
        return end();
    }

    /** When its streams have ended. */
    private Future<?> end() {
        opener.drain().addListener(drained -> {
            ExitFlush.remove(this);
            loops.shutdownGracefully(0, IDLE_SECONDS, TimeUnit.SECONDS);
        });
        return loops.terminationFuture();
    }
}
