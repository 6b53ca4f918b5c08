package io.github.comch4j.internal.support.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Both ends of streams over the emulated device: a loop of Netty's on either side, and a service's name. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the stream
abstract class RelayScene {
    static final long PATIENCE = Machine.PATIENCE.toMillis();
    static final Limits LIMITS = new Limits(64 << 10, 2000, 4, java.time.Duration.ofSeconds(5));

    final String name = Machine.uniqueName();
    final ComchAddress service = ComchAddress.of(Machine.DPU, Machine.HOST, name);
    EventLoopGroup hostLoop;
    EventLoopGroup dpuLoop;

    static {
        Machine.useEmulation();
    }

    /** What a server does with a stream, on a thread of its own. */
    interface Service {
        void serve(BlockingStream stream) throws IOException;
    }

    @BeforeEach
    void startLoops() {
        hostLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        dpuLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
    }

    @AfterEach
    void endLoops() {
        for (EventLoopGroup loop : new EventLoopGroup[] {hostLoop, dpuLoop}) {
            loop.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS);
        }
        assertThat(hostLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
        assertThat(dpuLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
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

    StreamServing serve(Consumer<Incoming> requests) {
        StreamServing serving = new StreamServing(LIMITS, ConnectionWatch.NONE, requests);
        bind(serving);
        return serving;
    }

    /** Serves each stream by a thread of its own. */
    StreamServing serveBlocking(Service program) {
        return serve(incoming -> incoming.accept(stream -> {
            BlockingStream accepted = BlockingStream.of(stream);
            Thread.startVirtualThread(() -> {
                try {
                    program.serve(accepted);
                } catch (IOException e) {
                    accepted.reset();
                }
            });
        }));
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

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for: " + what);
            }
            Thread.onSpinWait();
        }
    }
}
