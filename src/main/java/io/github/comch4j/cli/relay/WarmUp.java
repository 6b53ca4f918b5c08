package io.github.comch4j.cli.relay;

import io.github.comch4j.streams.BlockingStream;
import io.github.comch4j.streams.ConnectionWatch;
import io.github.comch4j.streams.PeerLimits;
import io.github.comch4j.streams.StreamOpener;
import io.github.comch4j.streams.StreamServing;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Streams of this process to itself. What the first ones need is loaded by that, before the relay says that it is
 * ready: on a busy machine a first client, such as a health check after a restart, waited for seconds.
 */
@SuppressWarnings("FutureReturnValueIgnored") // if it fails, the first client pays
final class WarmUp {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String SERVICE = "warm-up";
    private static final int STREAMS = 20;
    private static final int BYTES = 10_000;

    private WarmUp() {}

    /** Returns how many streams have had their bytes back. */
    static int run(PeerLimits limits) {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("comch-warm-up", true), LocalIoHandler.newFactory());
        try {
            LocalAddress address = new LocalAddress(WarmUp.class);
            StreamServing serving = new StreamServing(
                    limits,
                    ConnectionWatch.NONE,
                    incoming -> incoming.accept(stream -> {
                        BlockingStream end = BlockingStream.of(stream);
                        Thread.startVirtualThread(() -> echo(end));
                    }));
            new ServerBootstrap()
                    .group(loops)
                    .channel(LocalServerChannel.class)
                    .childHandler(serving)
                    .bind(address)
                    .awaitUninterruptibly();
            StreamOpener opener = StreamOpener.accepting(loops.next(), limits, ConnectionWatch.NONE);
            new Bootstrap()
                    .group(loops)
                    .channel(LocalChannel.class)
                    .handler(opener.connections())
                    .connect(address);
            int back = 0;
            while (back < STREAMS && goesThrough(opener)) {
                back++;
            }
            return back;
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static void echo(BlockingStream stream) {
        byte[] bytes = new byte[BYTES];
        try (stream) {
            for (int n = stream.read(bytes, 0, BYTES, 0); n >= 0; n = stream.read(bytes, 0, BYTES, 0)) {
                stream.write(bytes, 0, n);
            }
        } catch (IOException e) {
            stream.reset();
        }
    }

    private static boolean goesThrough(StreamOpener opener) {
        var opening = opener.open(SERVICE, PATIENCE, BlockingStream::of).awaitUninterruptibly();
        if (!opening.isSuccess()) {
            return false;
        }
        byte[] bytes = new byte[BYTES];
        try (BlockingStream stream = opening.getNow()) {
            stream.write(bytes, 0, BYTES);
            stream.shutdownOutput();
            int back = 0;
            for (int n = 0; n >= 0; n = stream.read(bytes, 0, BYTES, PATIENCE.toNanos())) {
                back += n;
            }
            return back == BYTES;
        } catch (IOException e) {
            return false;
        }
    }
}
