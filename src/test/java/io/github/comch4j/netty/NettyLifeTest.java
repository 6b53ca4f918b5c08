package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.FramedPeer;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.link.Framing;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How channels begin and end, and what they refuse. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
class NettyLifeTest extends NettyScene {
    private final List<Collector> accepted = new CopyOnWriteArrayList<>();

    private Collector next() {
        Collector next = new Collector();
        accepted.add(next);
        return next;
    }

    private Collector only() {
        until("a connection", () -> accepted.size() == 1);
        return accepted.get(0);
    }

    @Test
    void aClosedClientIsInactiveOnBothSidesAfterAllItsBytes() throws Exception {
        bind(this::next);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        byte[] last = random(100_000);
        channel.writeAndFlush(buffer(last)).sync();
        channel.close().sync();
        only().awaitInactive();
        mine.awaitInactive();
        assertThat(only().bytes()).isEqualTo(last);
        assertThat(only().failures).isEmpty();
        assertThat(channel.writeAndFlush(buffer(last)).await().cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aServerEndsOneConnectionAfterAllItsBytes() throws Exception {
        bind(this::next);
        Collector mine = new Collector();
        connect(mine);
        Channel child = only().channel();
        Collector other = new Collector();
        Channel remains = connect(other);
        byte[] last = random(100_000);
        child.writeAndFlush(buffer(last)).sync();
        child.close().sync();
        mine.awaitInactive();
        assertThat(mine.bytes()).isEqualTo(last);
        assertThat(remains.isActive()).isTrue();
        remains.writeAndFlush(buffer(last)).sync();
        accepted.get(1).await(last.length);
    }

    @Test
    void whatHasArrivedIsReadAfterThePeersEnd() throws Exception {
        server(this::next)
                .childOption(ChannelOption.AUTO_READ, false)
                .bind(service)
                .sync();
        Channel channel = connect(new Collector());
        byte[] last = random(50_000);
        channel.writeAndFlush(buffer(last)).sync();
        channel.close().sync();
        Channel child = only().channel();
        assertThat(only().length()).isZero();
        child.config().setAutoRead(true);
        only().awaitInactive();
        assertThat(only().bytes()).isEqualTo(last);
    }

    @Test
    void theEndIsToldWithTheLastReadThatIsAskedFor() throws Exception {
        server(this::next)
                .childOption(ChannelOption.AUTO_READ, false)
                .bind(service)
                .sync();
        Channel channel = connect(new Collector());
        byte[] last = random(10);
        channel.writeAndFlush(buffer(last)).sync();
        channel.close().sync();
        ComchChannel child = (ComchChannel) only().channel();
        until(
                "the peer's end",
                () -> child.eventLoop()
                        .submit(() -> child.wire().isFinished())
                        .syncUninterruptibly()
                        .getNow());
        assertThat(only().inactive).isNotDone();
        child.read();
        only().awaitInactive();
        assertThat(only().bytes()).isEqualTo(last);
    }

    @Test
    void eitherDirectionIsShutDownByItself() throws Exception {
        server(this::next)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(service)
                .sync();
        Collector mine = new Collector();
        DuplexChannel channel = (DuplexChannel) connect(mine);
        channel.writeAndFlush(buffer(random(1000))).sync();
        channel.shutdownOutput().sync();
        assertThat(channel.isOutputShutdown()).isTrue();
        assertThat(channel.writeAndFlush(buffer(random(1))).await().cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(only().events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(only().events.poll(PATIENCE, TimeUnit.MILLISECONDS))
                .isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
        assertThat(only().bytes()).hasSize(1000);
        DuplexChannel child = (DuplexChannel) only().channel();
        assertThat(child.isInputShutdown()).isTrue();
        assertThat(child.isActive()).isTrue();
        child.writeAndFlush(buffer(random(2000))).sync();
        assertThat(mine.await(2000)).isEqualTo(random(2000));
        child.shutdownOutput().sync();
        mine.awaitInactive(); // it does not allow half closure
        assertThat(child.isShutdown()).isTrue();
    }

    /** Of a peer that says nothing before it ends the connection. */
    @Test
    void theEndOfAConnectionIsTheEndOfInputToo() throws Exception {
        server(this::next)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(service)
                .sync();
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
            FramedPeer framed = new FramedPeer();
            framed.send(peer.connection(), random(1000));
            framed.send(peer.connection(), Framing.FINISHED, 1);
            peer.close();
        }
        assertThat(only().events.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(only().bytes()).hasSize(1000);
        DuplexChannel child = (DuplexChannel) only().channel();
        assertThat(child.isInputShutdown()).isTrue();
        assertThat(child.writeAndFlush(buffer(random(1))).await().cause()).isInstanceOf(ClosedChannelException.class);
        only().awaitInactive();
        assertThat(only().failures).isEmpty();
    }

    @Test
    void whatWaitsForThePeerFailsWithTheConnection() throws Exception {
        server(this::next)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true) // else the end of input closes the channel
                .bind(service)
                .sync();
        ChannelFuture waits;
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
            new FramedPeer().send(peer.connection(), Framing.WINDOW, 1000); // and it does not grow
            waits = only().channel().writeAndFlush(buffer(random(1 << 20)));
            Machine.until("what the window allows", () -> peer.connection().received() > 0, engine);
            assertThat(waits.isDone()).isFalse();
            peer.close();
        }
        assertThat(waits.await(PATIENCE)).isTrue();
        assertThat(waits.cause()).isInstanceOf(ClosedChannelException.class);
        only().awaitInactive();
    }

    @Test
    void whatWaitsForRoomFailsWithTheConnection() throws Exception {
        server(this::next)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(service)
                .sync();
        ChannelFuture waits;
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            // it tells of no window, and takes nothing, as its engine rests
            ComchClient peer = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
            Channel child = only().channel();
            waits = child.writeAndFlush(buffer(random(16 << 20)));
            until("no room", () -> isBlocked(child));
            assertThat(waits.isDone()).isFalse();
            peer.close();
        }
        assertThat(waits.await(PATIENCE)).isTrue();
        assertThat(waits.cause()).isInstanceOf(ClosedChannelException.class);
        only().awaitInactive();
    }

    @Test
    void whatWaitsGoesOnAsOftenAsThereIsRoomAgain() throws Exception {
        bind(this::next);
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name).connect(Machine.PATIENCE);
            Channel child = only().channel();
            for (int round = 0; round < 3; round++) {
                ChannelFuture waits = child.writeAndFlush(buffer(random(16 << 20)));
                until("no room", () -> isBlocked(child));
                assertThat(waits.isDone()).isFalse();
                Machine.until("all of it", waits::isDone, engine);
                assertThat(waits.isSuccess()).isTrue();
            }
            peer.close();
        }
    }

    @Test
    void whatWaitsGoesOnAsOftenAsTheWindowGrows() throws Exception {
        bind(this::next);
        AtomicLong cost = new AtomicLong(); // of what has arrived
        AtomicLong frames = new AtomicLong();
        FramedPeer framed = new FramedPeer();
        try (Device host = Device.openHost(Machine.HOST);
                ProgressEngine engine = ProgressEngine.create()) {
            ComchClient peer = ComchClient.builder(engine, host, name)
                    .onMessage((connection, message) -> {
                        framed.arrived(connection, message);
                        FramedPeer.Message last = framed.received.removeLast();
                        if (last.kind() == Framing.DATA) {
                            cost.addAndGet(Framing.cost(last.bytes().length));
                        } else {
                            frames.incrementAndGet();
                        }
                    })
                    .connect(Machine.PATIENCE);
            Channel child = only().channel();
            for (int round = 0; round < 5; round++) {
                long window = cost.get() + 50_000;
                framed.send(peer.connection(), Framing.WINDOW, window);
                Machine.until("that the window is observed", () -> frames.get() > 0, engine);
                ChannelFuture waits = child.writeAndFlush(buffer(random(100_000)));
                Machine.until("the end of the window", () -> isBlocked(child) || waits.isDone(), engine);
                assertThat(waits.isDone()).isFalse();
                long more = Framing.cost(peer.maxMessageSize());
                Machine.until("what the window allows", () -> cost.get() + more > window, engine);
                assertThat(cost.get()).isLessThanOrEqualTo(window);
                framed.send(peer.connection(), Framing.WINDOW, window + 100_000);
                Machine.until("all of it", waits::isDone, engine);
                assertThat(waits.isSuccess()).isTrue();
                Machine.until("its arrival", () -> cost.get() >= window + 50_000, engine);
            }
            peer.close();
        }
    }

    private static boolean isBlocked(Channel channel) {
        return channel.eventLoop()
                .submit(() -> ((ComchChannel) channel).wire().isBlocked())
                .syncUninterruptibly()
                .getNow();
    }

    @Test
    void withoutHalfClosureTheEndOfInputClosesTheChannel() throws Exception {
        bind(this::next);
        Collector mine = new Collector();
        DuplexChannel channel = (DuplexChannel) connect(mine);
        channel.shutdownOutput().sync();
        only().awaitInactive();
        mine.awaitInactive();
    }

    @Test
    void inputThatIsShutDownIsThrownAwayAndDoesNotStopThePeer() throws Exception {
        server(this::next)
                .childOption(ChannelOption.SO_RCVBUF, 50_000)
                .bind(service)
                .sync();
        Channel channel = connect(new Collector());
        DuplexChannel child = (DuplexChannel) only().channel();
        child.shutdownInput().sync();
        ChannelFuture all = channel.writeAndFlush(buffer(random(20 << 20)));
        assertThat(all.await(PATIENCE)).isTrue();
        assertThat(all.isSuccess()).isTrue();
        assertThat(only().length()).isZero();
    }

    @Test
    void aServersChannelsOutliveIt() throws Exception {
        Channel server = bind(Echo::new);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        channel.writeAndFlush(buffer(random(10)));
        mine.await(10);
        server.close().sync();
        channel.writeAndFlush(buffer(random(10)));
        mine.await(20);
        Collector late = new Collector();
        client(late).connect(service).sync(); // the device accepts, and it is turned away
        late.awaitInactive();
        channel.close().sync();
        until("the name is free", () -> {
            ChannelFuture again = server(Echo::new).bind(service).awaitUninterruptibly();
            return again.isSuccess();
        });
    }

    @Test
    void theNameOfAServerWithoutChannelsIsFreeAtOnce() throws Exception {
        for (int i = 0; i < 3; i++) {
            Channel server = bind(Echo::new);
            Collector mine = new Collector();
            Channel channel = connect(mine);
            channel.writeAndFlush(buffer(random(10)));
            mine.await(10);
            channel.close().sync();
            server.close().sync();
        }
    }

    @Test
    void aLoopsEndEndsItsChannels() throws Exception {
        bind(this::next);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        byte[] last = random(20_000);
        channel.writeAndFlush(buffer(last)).sync();
        hostLoop.shutdownGracefully(10, 5000, TimeUnit.MILLISECONDS).sync();
        mine.awaitInactive();
        only().awaitInactive();
        assertThat(only().bytes()).isEqualTo(last);
    }

    @Test
    void aLoopsEndEndsItsServers() throws Exception {
        Channel server = bind(this::next);
        dpuLoop.shutdownGracefully(10, 5000, TimeUnit.MILLISECONDS).sync();
        assertThat(server.closeFuture().await(PATIENCE)).isTrue();
        assertThat(server.isOpen()).isFalse();
    }

    @Test
    void aConnectionIsRefusedWhereNobodyServes() {
        ChannelFuture refused = client(new Collector()).connect(service).awaitUninterruptibly();
        assertThat(refused.cause()).isInstanceOf(ConnectException.class).hasMessageContaining(name);
        assertThat(refused.channel().closeFuture().awaitUninterruptibly(PATIENCE))
                .isTrue();
        ChannelFuture nowhere = client(new Collector())
                .connect(ComchAddress.of(PciAddress.of("0000:ff:00.0"), name))
                .awaitUninterruptibly();
        assertThat(nowhere.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("0000:ff:00.0");
    }

    @Test
    void aServiceHasOneServer() {
        bind(Echo::new);
        ChannelFuture second = server(Echo::new).bind(service).awaitUninterruptibly();
        assertThat(second.cause()).isInstanceOf(BindException.class).hasMessageContaining(name);
        ChannelFuture wrong = server(Echo::new)
                .bind(ComchAddress.of(Machine.HOST, name + "x"))
                .awaitUninterruptibly();
        assertThat(wrong.cause()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("DPU's device");
    }

    @Test
    void misuseIsToldApart() throws Exception {
        bind(Echo::new);
        Channel channel = connect(new Collector());
        assertThat(channel.connect(service).await().cause()).isInstanceOf(AlreadyConnectedException.class);
        assertThat(channel.writeAndFlush("text").await().cause()).isInstanceOf(UnsupportedOperationException.class);
        Channel idle = client(new Collector()).register().sync().channel();
        assertThat(idle.writeAndFlush(buffer(random(1))).await().cause()).isInstanceOf(NotYetConnectedException.class);
        assertThat(idle.connect(new InetSocketAddress(1)).await().cause())
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThat(idle.bind(service).await().cause()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.config().setOption(ComchChannelOption.MAX_MESSAGE_SIZE, 63))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ComchAddress.of(Machine.HOST, "")).isInstanceOf(IllegalArgumentException.class);
        idle.close().sync();
    }

    @Test
    void otherLoopsAndOtherChannelsAreRefused() throws Exception {
        bind(Echo::new);
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            ChannelFuture ours = nio.register(new ComchChannel()).await();
            assertThat(ours.cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ComchIoHandler.newFactory()");
            assertThat(nio.register(new ComchServerChannel()).await().cause()).hasMessageContaining("ComchIoHandler");
            assertThat(hostLoop.register(new NioSocketChannel()).await().cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("incompatible");
            // a child group of the wrong kind: the connection is closed
            String other = name + "-nio";
            new ServerBootstrap()
                    .group(dpuLoop, nio)
                    .channel(ComchServerChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(ComchAddress.of(Machine.DPU, Machine.HOST, other))
                    .sync();
            Collector mine = new Collector();
            client(mine).connect(ComchAddress.of(Machine.HOST, other)).sync();
            mine.awaitInactive();
        } finally {
            nio.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS).sync();
        }
    }

    @Test
    void acceptedChannelsLiveOnTheirServersLoop() throws Exception {
        EventLoopGroup workers = new MultiThreadIoEventLoopGroup(3, ComchIoHandler.newFactory());
        try {
            new ServerBootstrap()
                    .group(dpuLoop, workers)
                    .channel(ComchServerChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(next());
                        }
                    })
                    .bind(service)
                    .sync();
            connect(new Collector());
            assertThat(only().channel().eventLoop()).isSameAs(dpuLoop.iterator().next());
        } finally {
            workers.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS).sync();
        }
    }

    @Test
    void loopsThatSleepAtOnceCarryAllBytes() throws Exception {
        bind(Echo::new);
        EventLoopGroup sleepy = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory(0));
        try {
            Collector mine = new Collector();
            ChannelFuture connected = new Bootstrap()
                    .group(sleepy)
                    .channel(ComchChannel.class)
                    .handler(mine)
                    .connect(service)
                    .sync();
            byte[] part = random(100_000);
            for (int round = 1; round <= 20; round++) {
                connected.channel().writeAndFlush(buffer(part));
                byte[] all = mine.await(round * part.length);
                assertThat(Arrays.copyOfRange(all, all.length - part.length, all.length))
                        .isEqualTo(part);
            }
        } finally {
            sleepy.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS).sync();
        }
        assertThatThrownBy(() -> ComchIoHandler.newFactory(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aChannelComesBackToItsLoopOnly() throws Exception {
        bind(Echo::new);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        channel.writeAndFlush(buffer(random(1000)));
        mine.await(1000);
        channel.deregister().sync();
        assertThat(channel.isRegistered()).isFalse();
        assertThat(dpuLoop.register(channel).await().cause())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another");
        hostLoop.register(channel).sync();
        assertThat(channel.isActive()).isTrue();
        channel.writeAndFlush(buffer(random(1000)));
        mine.await(2000);
    }

    private List<ComchConnection> connections(Class<? extends ControlPathEndpoint> side) {
        List<ComchConnection> found = new ArrayList<>();
        LiveObjects.forEach(object -> {
            if (object instanceof ComchConnection connection
                    && side.isInstance(connection.endpoint())
                    && connection.endpoint().name().equals(name)) {
                found.add(connection);
            }
        });
        return found;
    }

    /** A read was asked for before, so that nothing but the registration has the channel look. */
    @Test
    void whatComesForAChannelWithoutALoopIsReadWhenItComesBack() throws Exception {
        Channel server = bind(this::next);
        Collector mine = new Collector();
        Channel channel = connect(mine);
        ComchConnection connection = connections(ComchClient.class).getFirst();
        only();
        for (Channel each : List.of(channel, server)) {
            each.config().setAutoRead(false);
            each.read();
        }
        channel.deregister().sync();
        long before = connection.receivedBytes();
        only().channel().writeAndFlush(buffer(random(700)));
        until("its arrival", () -> connection.receivedBytes() >= before + 700);
        assertThat(mine.length()).isZero();
        hostLoop.register(channel).sync();
        mine.await(700);

        server.deregister().sync();
        connect(new Collector());
        until("the second connection", () -> connections(ComchServer.class).size() == 2);
        assertThat(accepted).hasSize(1);
        dpuLoop.register(server).sync();
        until("its channel", () -> accepted.size() == 2);
    }

    @Test
    void moreClientsThanTheBacklogAreTurnedAway() throws Exception {
        Channel server = server(this::next)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.SO_BACKLOG, 2)
                .bind(service)
                .sync()
                .channel();
        Collector first = new Collector();
        Collector second = new Collector();
        Collector third = new Collector();
        connect(first);
        connect(second);
        connect(third);
        third.awaitInactive();
        for (int i = 0; i < 3; i++) {
            Collector another = new Collector();
            connect(another);
            another.awaitInactive();
        }
        assertThat(accepted).isEmpty();
        server.config().setAutoRead(true);
        until("both", () -> accepted.size() == 2);
        assertThat(first.inactive).isNotDone();
        assertThat(second.inactive).isNotDone();
        for (int i = 3; i < 7; i++) {
            connect(new Collector());
            int expected = i;
            until("the next", () -> accepted.size() == expected);
            accepted.getLast().channel();
        }
    }
}
