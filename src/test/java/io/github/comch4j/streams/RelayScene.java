package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.TwoNettyLoops;
import io.github.comch4j.netty.ComchServerChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Both ends of streams over the emulated device. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the stream
abstract class RelayScene extends TwoNettyLoops {
    static final PeerLimits LIMITS = new PeerLimits(64 << 10, 2000, 4, java.time.Duration.ofSeconds(5));

    /** What a server does with a stream, on a thread of its own. */
    interface Service {
        void serve(BlockingStream stream) throws IOException;
    }

    Channel bind(ChannelHandler connections) {
        return new ServerBootstrap()
                .group(dpuLoop)
                .channel(ComchServerChannel.class)
                .childHandler(connections)
                .bind(service)
                .syncUninterruptibly()
                .channel();
    }

    StreamServing serve(Consumer<IncomingStream> requests) {
        StreamServing serving = new StreamServing(LIMITS, ConnectionWatch.NONE, requests);
        bind(serving);
        return serving;
    }

    /** Serves each stream by a thread of its own. */
    StreamServing serveBlocking(Service program) {
        return serve(incoming -> accept(incoming, program));
    }

    /** Accepts a stream, and serves it by a thread of its own. */
    static void accept(IncomingStream incoming, Service program) {
        incoming.accept(stream -> {
            BlockingStream accepted = BlockingStream.of(stream);
            Thread.startVirtualThread(() -> {
                try {
                    program.serve(accepted);
                } catch (IOException e) {
                    accepted.reset();
                }
            });
        });
    }

    StreamOpener opener() {
        return StreamOpener.connecting(hostLoop, service, LIMITS, ConnectionWatch.NONE);
    }

    BlockingStream open(StreamOpener opener) throws IOException {
        return open(opener, name);
    }

    static BlockingStream open(StreamOpener opener, String what) throws IOException {
        try {
            return opener.open(what, Machine.PATIENCE, BlockingStream::of).get(PATIENCE, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static void echo(BlockingStream stream) throws IOException {
        byte[] buffer = new byte[8192];
        for (int read = stream.read(buffer, 0, buffer.length, 0);
                read >= 0;
                read = stream.read(buffer, 0, buffer.length, 0)) {
            stream.write(buffer, 0, read);
        }
        stream.close();
    }

    static byte[] readAll(BlockingStream stream) throws IOException {
        var all = new java.io.ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int read = stream.read(buffer, 0, buffer.length, Machine.PATIENCE.toNanos());
                read >= 0;
                read = stream.read(buffer, 0, buffer.length, Machine.PATIENCE.toNanos())) {
            all.write(buffer, 0, read);
        }
        return all.toByteArray();
    }

    static byte[] read(BlockingStream stream, int length) throws IOException {
        byte[] bytes = new byte[length];
        int done = 0;
        while (done < length) {
            int read = stream.read(bytes, done, length - done, Machine.PATIENCE.toNanos());
            if (read < 0) {
                return Arrays.copyOf(bytes, done);
            }
            done += read;
        }
        return bytes;
    }

    static void write(BlockingStream stream, byte[] bytes) {
        try {
            stream.write(bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without a line of a million numbers where they differ. */
    static void assertSame(byte[] bytes, byte[] expected) {
        assertThat(bytes).isNotNull();
        assertThat(bytes.length).isEqualTo(expected.length);
        assertThat(Arrays.mismatch(bytes, expected)).isEqualTo(-1);
    }
}
