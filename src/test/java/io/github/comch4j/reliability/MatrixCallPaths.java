package io.github.comch4j.reliability;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.channel.Carrier;
import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelPeerState;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.channel.PeerBrokenException;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchServerChannel;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcServer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The paths of calls, and of endpoints. */
final class MatrixCallPaths {
    private static final int SMALL = 64;
    private static final int LONG = 400_000;

    private MatrixCallPaths() {}

    static List<MatrixPath> all() {
        return List.of(
                new Calls("calls", SMALL, false),
                new Calls("long-calls", LONG, false),
                new Calls("async-calls", SMALL, true),
                new Grpc(),
                new Endpoints("endpoints-over-comch", Carrier.COMCH),
                new Endpoints("endpoints", Carrier.COMM_CHANNEL));
    }

    /** What handlers have got, each of which is an item. */
    private static final class Handled {
        private static final int ENDED = -2;

        private final LinkedBlockingQueue<Integer> items = new LinkedBlockingQueue<>();

        byte[] handle(byte[] request) {
            items.add(MatrixItems.number(request));
            return new byte[1];
        }

        void ended() {
            items.add(ENDED);
        }

        int next() throws Exception {
            return checked(items.poll(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }

        int now() throws Exception {
            return checked(items.poll());
        }

        private static int checked(Integer item) throws Exception {
            if (item == null) {
                throw new TimeoutException("waited too long for a call");
            }
            if (item == ENDED) {
                throw new IOException("the client has gone");
            }
            return item;
        }
    }

    // ---- calls

    private record Calls(String name, int size, boolean async) implements MatrixPath {
        /** A server that has lost a part of a long body ends the connection, where it can. */
        @Override
        public boolean tellsLosses(Matrix.Side side) {
            return size == SMALL || side == Matrix.Side.WRITER || Feature.DISCONNECT.isThere();
        }

        /** Each call is by itself: one that fails says so, and the others go on. */
        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(RpcClient.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            RpcClient.Builder settings =
                    RpcClient.builder(scene.loop(), scene.device, service).timeout(MatrixScene.PATIENCE);
            RpcClient client = (size > SMALL ? settings.largeBodies(1000) : settings).connect(MatrixScene.PATIENCE);
            try {
                client.call(1, MatrixItems.of(END, SMALL)); // the reader waits for it
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
            return new Writer() {
                private final List<CompletableFuture<byte[]>> calls = new ArrayList<>();

                @Override
                public void write(int item) {
                    byte[] request = MatrixItems.of(item, size);
                    if (async) {
                        calls.add(client.callAsync(1, request));
                    } else {
                        client.call(1, request);
                    }
                }

                @Override
                public void end() throws Exception {
                    for (CompletableFuture<byte[]> call : calls) {
                        try {
                            call.get(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                        } catch (ExecutionException e) {
                            throw e.getCause() instanceof Exception cause ? cause : e;
                        }
                    }
                    client.call(1, MatrixItems.of(END, SMALL));
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws Exception {
            Handled handled = new Handled();
            RpcServer.Builder settings = RpcServer.builder(scene.loop(), scene.device, scene.representor, service)
                    .method(1, request -> handled.handle(request.body()));
            RpcServer server = (size > SMALL ? settings.largeBodies(1000) : settings).start();
            try {
                handled.next(); // the client's first
            } catch (Exception e) {
                server.close();
                throw e;
            }
            return new Reader() {
                @Override
                public int read() throws Exception {
                    long deadline = System.nanoTime() + MatrixScene.PATIENCE.toNanos();
                    while (handled.items.isEmpty() && System.nanoTime() - deadline < 0) {
                        boolean open = scene.loop()
                                .<Boolean, RuntimeException>call(
                                        () -> !server.server().connections().isEmpty());
                        if (!open && handled.items.isEmpty()) {
                            handled.ended();
                        }
                        Thread.sleep(1);
                    }
                    return handled.now();
                }

                @Override
                public void close() {
                    server.shutdown();
                    server.awaitTermination(MatrixScene.PATIENCE);
                    server.close();
                }
            };
        }
    }

    private static final class Grpc implements MatrixPath {
        private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream stream) {
                try {
                    return stream.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        private static final MethodDescriptor<byte[], byte[]> ITEM = MethodDescriptor.newBuilder(BYTES, BYTES)
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("matrix/item")
                .build();

        @Override
        public String name() {
            return "grpc";
        }

        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public List<Class<?>> types() {
            return List.of(ComchChannel.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(ComchAddress.of(Machine.DPU, Machine.HOST, service))
                    .eventLoopGroup(scene.netty())
                    .channelType(ComchChannel.class, ComchAddress.class)
                    .usePlaintext()
                    .disableRetry()
                    .build();
            try {
                call(channel, CallOptions.DEFAULT.withWaitForReady(), END); // the reader waits for it
            } catch (RuntimeException e) {
                channel.shutdownNow();
                throw e;
            }
            return new Writer() {
                @Override
                public void write(int item) {
                    call(channel, CallOptions.DEFAULT, item);
                }

                @Override
                public void end() {
                    write(END);
                }

                @Override
                public void close() throws InterruptedException {
                    channel.shutdownNow().awaitTermination(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            };
        }

        private static void call(ManagedChannel channel, CallOptions options, int item) {
            var _ = ClientCalls.blockingUnaryCall(
                    channel,
                    ITEM,
                    options.withDeadlineAfter(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    MatrixItems.of(item, SMALL));
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws Exception {
            Handled handled = new Handled();
            Server server = NettyServerBuilder.forAddress(ComchAddress.of(Machine.DPU, Machine.HOST, service))
                    .bossEventLoopGroup(scene.netty())
                    .workerEventLoopGroup(scene.netty())
                    .channelType(ComchServerChannel.class)
                    .addTransportFilter(new io.grpc.ServerTransportFilter() {
                        @Override
                        public void transportTerminated(io.grpc.Attributes transport) {
                            handled.ended();
                        }
                    })
                    .addService(ServerServiceDefinition.builder("matrix")
                            .addMethod(ITEM, ServerCalls.asyncUnaryCall((request, response) -> {
                                response.onNext(handled.handle(request));
                                response.onCompleted();
                            }))
                            .build())
                    .build()
                    .start();
            try {
                handled.next(); // the client's first
            } catch (Exception e) {
                server.shutdownNow();
                throw e;
            }
            return new Reader() {
                @Override
                public int read() throws Exception {
                    return handled.next();
                }

                @Override
                public void close() throws InterruptedException {
                    server.shutdown(); // the last answer goes out
                    if (!server.awaitTermination(MatrixScene.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                        server.shutdownNow();
                    }
                }
            };
        }
    }

    // ---- endpoints

    private record Endpoints(String name, Carrier carrier) implements MatrixPath {
        private static final Duration LOOK = Duration.ofMillis(100);

        @Override
        public boolean seesGaps() {
            return false;
        }

        @Override
        public boolean exists() {
            return carrier == Carrier.COMCH || Feature.COMM_CHANNEL.isThere();
        }

        @Override
        public List<Class<?>> types() {
            return List.of(ChannelEndpoint.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) {
            ChannelClient client =
                    ChannelEndpoint.builder(scene.device).carrier(carrier).client();
            ChannelPeer peer;
            try {
                peer = client.connect(service, MatrixScene.PATIENCE);
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
            MemorySegment message = Arena.ofAuto().allocate(SMALL);
            try {
                client.send(peer, message, MatrixScene.PATIENCE); // the reader waits for it
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
            return new Writer() {
                @Override
                public void write(int item) {
                    MatrixItems.write(message, item);
                    client.send(peer, message, MatrixScene.PATIENCE);
                }

                @Override
                public void end() throws TimeoutException {
                    client.tryReceive(message); // what has failed is told
                    long deadline = System.nanoTime() + MatrixScene.PATIENCE.toNanos();
                    boolean heard = false;
                    for (write(END); !heard; heard = client.receive(message, LOOK) != null) {
                        if (System.nanoTime() - deadline > 0) {
                            throw new TimeoutException("waited too long for the reader's word");
                        }
                        if (carrier == Carrier.COMM_CHANNEL) {
                            write(END); // there only who sends is told that the peer has gone
                        }
                    }
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }

        @Override
        public Reader reader(MatrixScene scene, String service) {
            ChannelService listening =
                    ChannelEndpoint.builder(scene.device).carrier(carrier).listen(scene.representor, service);
            MemorySegment message = Arena.ofAuto().allocate(listening.maxMessageSize());
            ChannelPeer writer;
            try {
                writer = listening.receive(message, MatrixScene.PATIENCE);
                if (writer == null) {
                    throw new IllegalStateException("no client");
                }
            } catch (RuntimeException e) {
                listening.close();
                throw e;
            }
            return new Reader() {
                @Override
                public int read() throws Exception {
                    receive();
                    int item = MatrixItems.number(message.asSlice(0, listening.receivedLength()));
                    if (item == END) {
                        listening.send(writer, message.asSlice(0, SMALL), MatrixScene.PATIENCE);
                        try {
                            receive(); // the client's end
                        } catch (PeerBrokenException | EOFException e) {
                            // as it should be
                        }
                    }
                    return item;
                }

                // Over COMM_CHANNEL nobody is told that a client has gone: who wants to know, looks.
                private void receive() throws Exception {
                    long deadline = System.nanoTime() + MatrixScene.PATIENCE.toNanos();
                    while (listening.receive(message, LOOK) == null) {
                        if (carrier == Carrier.COMM_CHANNEL && hasGone()) {
                            if (listening.tryReceive(message) != null) {
                                return; // its last words
                            }
                            throw new EOFException("the client has gone");
                        }
                        if (System.nanoTime() - deadline > 0) {
                            throw new TimeoutException("waited too long for a message");
                        }
                    }
                }

                private boolean hasGone() {
                    listening.refresh();
                    return writer.update() != ChannelPeerState.CONNECTED;
                }

                @Override
                public void close() {
                    listening.close();
                }
            };
        }
    }
}
