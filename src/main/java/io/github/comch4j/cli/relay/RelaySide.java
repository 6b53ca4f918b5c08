package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.github.comch4j.streams.StreamServing;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * This process's side of Comch: on the DPU it has a server for each name, on the host it connects to those. Which end
 * opens streams does not depend on that.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class RelaySide implements AutoCloseable {
    private static final long AGAIN_MILLIS = 250;
    private static final long LAST_SECONDS = 5;
    /** The programs at both ends want the processors, and a round asks the kernel for sockets that are ready. */
    private static final int SPINS = 0;

    private final PciAddress device;
    private final @Nullable PciAddress function; // null: the host's side
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("comch-relay", true), ComchIoHandler.newFactoryWithNio(SPINS));
    private final Map<String, Channel> servers = new HashMap<>();
    private final Set<String> connected = ConcurrentHashMap.newKeySet(); // on the host: names to stay connected with

    /**
     * Opens nothing yet.
     *
     * @param device this side's
     * @param function whom to serve; null: nobody, as this is the host
     */
    RelaySide(PciAddress device, @Nullable PciAddress function) {
        this.device = device;
        this.function = function;
    }

    boolean isDpu() {
        return function != null;
    }

    /** The one that all connections are on, and all sockets. */
    EventLoop loop() {
        return loops.next();
    }

    /** On the host: what is connected to. */
    ComchAddress address(String name) {
        return function == null ? ComchAddress.of(device, name) : ComchAddress.of(device, function, name);
    }

    /** On the DPU: serves a name, whose connections have that handler. */
    void serve(String name, ChannelHandler connections) {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(ComchServerChannel.class)
                .childHandler(connections)
                .bind(address(name))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new ProgramException(
                    "comch:" + name + " cannot be served: " + bound.cause().getMessage(), bound.cause());
        }
        servers.put(name, bound.channel());
    }

    /** On the host: is connected to a server whenever there is one, for streams that come from the DPU. */
    void stayConnected(String name, StreamServing streams) {
        connected.add(name);
        connect(name, streams);
    }

    private void connect(String name, StreamServing streams) {
        new Bootstrap()
                .group(loops)
                .channel(ComchChannel.class)
                .handler(streams)
                .connect(address(name))
                .channel()
                .closeFuture()
                .addListener(ended -> {
                    if (connected.contains(name)) {
                        loops.schedule(() -> again(name, streams), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
                    }
                });
    }

    private void again(String name, StreamServing streams) {
        if (connected.contains(name)) {
            connect(name, streams);
        }
    }

    /** No connections of that name come any more; those that there are go on. */
    void stop(String name) {
        connected.remove(name);
        Channel server = servers.remove(name);
        if (server != null) {
            server.close().awaitUninterruptibly();
        }
    }

    /** No connections come any more; those that there are go on. */
    void stop() {
        connected.clear();
        List.copyOf(servers.keySet()).forEach(this::stop);
    }

    @Override
    public void close() {
        stop();
        loops.shutdownGracefully(0, LAST_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
