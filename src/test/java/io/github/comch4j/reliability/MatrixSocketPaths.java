package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.net.ComchServerSocketFactory;
import io.github.comch4j.net.ComchSocketFactory;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchServerChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The paths of sockets and of Netty's channels. */
final class MatrixSocketPaths {
    private static final int SIZE = 64;

    private MatrixSocketPaths() {}

    static List<MatrixPath> all() {
        return List.of(
                new Sockets("socket", false, false, false),
                new Sockets("plain-socket", true, false, false),
                new Sockets("reconnecting-socket", false, true, false),
                new Sockets("async-socket", false, false, true),
                new JavaNet("java-net", SIZE),
                new JavaNet("large-java-net", 64 << 10),
                new NettyPath("netty", SIZE),
                new NettyPath("large-netty", 64 << 10),
                new NettyPath("large-bulk-netty", 1 << 20)); // by the fast path, soon
    }

    private record Sockets(String name, boolean plain, boolean reconnects, boolean async) implements MatrixPath {
        @Override
        public boolean seesGaps() {
            return !plain;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(MessageSocket.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            MessageSocket.Builder settings = MessageSocket.builder(scene.loop(), scene.device, service);
            if (plain) {
                settings.plainPeer();
            }
            if (reconnects) {
                settings.reconnect(Duration.ofMillis(1), Duration.ofMillis(10));
            }
            MessageSocket socket = settings.connect(MatrixScene.PATIENCE);
            return new Writer() {
                private final List<CompletableFuture<Void>> sends = new ArrayList<>();

                @Override
                public void write(int item) {
                    byte[] message = MatrixItems.of(item, SIZE);
                    if (async) {
                        sends.add(socket.sendAsync(message));
                    } else {
                        socket.send(message, MatrixScene.PATIENCE);
                    }
                }

                @Override
                public void end() throws Exception {
                    for (CompletableFuture<Void> send : sends) {
                        send.get(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    }
                    if (plain) { // which has no end of its own
                        socket.flush(MatrixScene.PATIENCE);
                        write(END);
                        socket.flush(MatrixScene.PATIENCE);
                        acknowledged(socket);
                    } else {
                        socket.shutdownOutput(MatrixScene.PATIENCE);
                    }
                }

                @Override
                public void close() {
                    socket.close();
                }
            };
        }

        /** Waits for the reader's word. */
        private static void acknowledged(MessageSocket socket) throws TimeoutException {
            if (socket.receive(MatrixScene.PATIENCE) == null) {
                throw new TimeoutException("no word of the reader");
            }
        }

        @Override
        public Reader reader(MatrixScene scene, String service) {
            MessageServerSocket.Builder settings =
                    MessageServerSocket.builder(scene.loop(), scene.device, scene.representor, service);
            if (plain) {
                settings.plainPeer();
            }
            MessageServerSocket server = settings.open();
            MessageSocket socket = server.accept(MatrixScene.PATIENCE);
            if (socket == null) {
                server.close();
                throw new IllegalStateException("no client");
            }
            return new Reader() {
                @Override
                public int read() throws TimeoutException {
                    byte[] message;
                    try {
                        message = socket.receive(MatrixScene.PATIENCE);
                    } catch (ConnectionClosedException e) {
                        if (socket.isInputShutdown()) {
                            return END; // the writer had said all, and has closed
                        }
                        throw e;
                    }
                    if (message == null) {
                        if (socket.isInputShutdown()) {
                            return END;
                        }
                        throw new TimeoutException("waited too long for a message");
                    }
                    int item = MatrixItems.number(message);
                    if (item == END) {
                        socket.send(message, MatrixScene.PATIENCE);
                        socket.flush(MatrixScene.PATIENCE);
                    }
                    return item;
                }

                @Override
                public void close() {
                    try {
                        socket.close();
                    } finally {
                        server.close();
                    }
                }
            };
        }
    }

    private record JavaNet(String name, int size) implements MatrixPath {
        @Override
        public List<Class<?>> types() {
            return List.of(ComchSocketFactory.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) throws IOException {
            Socket socket = new ComchSocketFactory(service + ",device=" + Machine.HOST).createSocket();
            socket.connect(
                    InetSocketAddress.createUnresolved("matrix.invalid", 1), (int) MatrixScene.PATIENCE.toMillis());
            socket.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
            return new Writer() {
                @Override
                public void write(int item) throws IOException {
                    socket.getOutputStream().write(MatrixItems.of(item, size));
                }

                @Override
                public void end() throws IOException {
                    socket.shutdownOutput();
                    int word = socket.getInputStream().read(); // TCP tells a writer nothing else
                    if (word != 1) {
                        throw new IOException("no word of the reader");
                    }
                }

                @Override
                public void close() throws IOException {
                    socket.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws IOException {
            ServerSocket server = new ComchServerSocketFactory(service).createServerSocket(0);
            Socket socket;
            try {
                server.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
                socket = server.accept();
                socket.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
            } catch (IOException e) {
                server.close();
                throw e;
            }
            ReadableByteChannel input = Channels.newChannel(socket.getInputStream());
            return new Reader() {
                @Override
                public int read() throws IOException {
                    int item = MatrixStreams.item(input, size);
                    if (item == END) {
                        socket.getOutputStream().write(1);
                        socket.shutdownOutput();
                    }
                    return item;
                }

                @Override
                public void close() throws IOException {
                    socket.close();
                    server.close();
                }
            };
        }
    }

    /** What comes out of a channel's pipeline. */
    @ChannelHandler.Sharable
    private static final class Incoming extends ChannelInboundHandlerAdapter {
        private static final Object END_OF_INPUT = new Object();

        final CompletableFuture<Channel> active = new CompletableFuture<>();
        private final LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private final ByteBuf unread = Unpooled.buffer();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            active.complete(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            byte[] copy = new byte[bytes.readableBytes()];
            bytes.readBytes(copy);
            bytes.release();
            events.add(copy);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add(END_OF_INPUT);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                events.add(END_OF_INPUT);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add(cause);
        }

        /** The next item of so many bytes. */
        int item(int size) throws Exception {
            while (unread.readableBytes() < size) {
                Object next = events.poll(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (next instanceof byte[] bytes) {
                    unread.writeBytes(bytes);
                } else if (next == END_OF_INPUT && unread.readableBytes() == 0) {
                    return MatrixPath.END;
                } else {
                    throw next instanceof Throwable failure
                            ? new IOException(failure.getMessage(), failure)
                            : new IOException(next == null ? "waited too long for bytes" : "the end, within an item");
                }
            }
            byte[] item = new byte[size];
            unread.readBytes(item);
            unread.discardReadBytes();
            return MatrixItems.number(item);
        }
    }

    private record NettyPath(String name, int size) implements MatrixPath {
        @Override
        public List<Class<?>> types() {
            return List.of(ComchChannel.class);
        }

        private static void await(ChannelFuture future) throws Exception {
            try {
                future.get(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }

        /** Tries again while there is no server, as the other ways to connect do. */
        private static DuplexChannel connect(Bootstrap settings, ComchAddress service) throws Exception {
            long deadline = System.nanoTime() + MatrixScene.PATIENCE.toNanos();
            while (true) {
                try {
                    ChannelFuture connecting = settings.connect(service);
                    await(connecting);
                    return (DuplexChannel) connecting.channel();
                } catch (ConnectException e) {
                    if (System.nanoTime() - deadline > 0) {
                        throw e;
                    }
                    Thread.sleep(1);
                }
            }
        }

        private static ComchAddress address(String service) {
            return ComchAddress.of(Machine.DPU, Machine.HOST, service);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) throws Exception {
            Incoming incoming = new Incoming();
            Bootstrap settings = new Bootstrap()
                    .group(scene.netty())
                    .channel(ComchChannel.class)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) MatrixScene.PATIENCE.toMillis())
                    .handler(incoming);
            DuplexChannel channel = connect(settings, address(service));
            return new Writer() {
                @Override
                public void write(int item) throws Exception {
                    await(channel.writeAndFlush(Unpooled.wrappedBuffer(MatrixItems.of(item, size))));
                }

                @Override
                public void end() throws Exception {
                    await(channel.shutdownOutput());
                    if (incoming.item(SIZE) != 1) { // as of TCP
                        throw new IOException("no word of the reader");
                    }
                }

                @Override
                public void close() throws Exception {
                    await(channel.close());
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws Exception {
            Incoming incoming = new Incoming();
            ChannelFuture binding = new ServerBootstrap()
                    .group(scene.netty())
                    .channel(ComchServerChannel.class)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(incoming);
                        }
                    })
                    .bind(address(service));
            await(binding);
            Channel channel = incoming.active.get(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return new Reader() {
                @Override
                public int read() throws Exception {
                    int item = incoming.item(size);
                    if (item == END) {
                        await(channel.writeAndFlush(Unpooled.wrappedBuffer(MatrixItems.of(1, SIZE))));
                    }
                    return item;
                }

                @Override
                public void close() throws Exception {
                    await(channel.close());
                    await(binding.channel().close());
                }
            };
        }
    }
}
