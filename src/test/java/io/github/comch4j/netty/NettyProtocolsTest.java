package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import examples.NettyGrpc;
import io.github.comch4j.Machine;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Protocols that others have written for TCP, over Comch. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
class NettyProtocolsTest extends NettyScene {
    private static final int MOST = 4 << 20;

    @Test
    void http() throws Exception {
        bind(() -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel child) {
                child.pipeline()
                        .addLast(new HttpServerCodec(), new HttpObjectAggregator(MOST))
                        .addLast(new SimpleChannelInboundHandler<FullHttpRequest>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
                                FullHttpResponse response = new DefaultFullHttpResponse(
                                        HttpVersion.HTTP_1_1,
                                        HttpResponseStatus.OK,
                                        request.content().retain());
                                response.headers()
                                        .set(
                                                HttpHeaderNames.CONTENT_LENGTH,
                                                response.content().readableBytes())
                                        .set("path", request.uri());
                                context.writeAndFlush(response);
                            }
                        });
            }
        });
        LinkedBlockingQueue<FullHttpResponse> responses = new LinkedBlockingQueue<>();
        Channel channel = connect(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel made) {
                made.pipeline()
                        .addLast(new HttpClientCodec(), new HttpObjectAggregator(MOST))
                        .addLast(new SimpleChannelInboundHandler<FullHttpResponse>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
                                responses.add(response.retain());
                            }
                        });
            }
        });
        for (int length : new int[] {0, 1, 5000, 1 << 20}) {
            FullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1, HttpMethod.POST, "/echo/" + length, buffer(random(length)));
            request.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
            channel.writeAndFlush(request);
            FullHttpResponse response = responses.poll(PATIENCE, TimeUnit.MILLISECONDS);
            assertThat(response).isNotNull();
            byte[] body = new byte[response.content().readableBytes()];
            response.content().readBytes(body);
            response.release();
            assertThat(response.headers().get("path")).isEqualTo("/echo/" + length);
            assertThat(body).isEqualTo(random(length));
        }
    }

    /** Bytes as they are. */
    private static final class Bytes implements Marshaller<byte[]> {
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
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("test.Bytes", name))
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
    }

    @Test
    void grpc() throws Exception {
        MethodDescriptor<byte[], byte[]> echo = method("Echo", MethodType.UNARY);
        MethodDescriptor<byte[], byte[]> parts = method("Parts", MethodType.SERVER_STREAMING);
        Server server = NettyGrpc.serve(
                dpuLoop,
                service,
                ServerServiceDefinition.builder("test.Bytes")
                        .addMethod(echo, ServerCalls.asyncUnaryCall(NettyProtocolsTest::echo))
                        .addMethod(parts, ServerCalls.asyncServerStreamingCall(NettyProtocolsTest::parts))
                        .build());
        ManagedChannel channel = NettyChannelBuilder.forAddress(service)
                .eventLoopGroup(hostLoop)
                .channelType(ComchChannel.class, ComchAddress.class)
                .usePlaintext()
                .build();
        CallOptions patience = CallOptions.DEFAULT.withDeadlineAfter(PATIENCE, TimeUnit.MILLISECONDS);
        for (int length : new int[] {0, 1, 100_000, 3 << 20}) {
            byte[] answer = ClientCalls.blockingUnaryCall(channel, echo, patience, random(length));
            assertThat(answer).isEqualTo(random(length));
        }
        Iterator<byte[]> stream = ClientCalls.blockingServerStreamingCall(channel, parts, patience, random(200));
        int count = 0;
        while (stream.hasNext()) {
            assertThat(stream.next()).isEqualTo(random(10_000 + count));
            count++;
        }
        assertThat(count).isEqualTo(200);
        server.shutdown(); // what is connected may go on; gRPC ends it
        channel.shutdown();
        assertThat(channel.awaitTermination(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(server.awaitTermination(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
    }

    @Test
    void grpcLetsItsCallsEnd() throws Exception {
        MethodDescriptor<byte[], byte[]> echo = method("Echo", MethodType.UNARY);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch holding = new CountDownLatch(1);
        Server server = NettyGrpc.serve(
                dpuLoop,
                service,
                ServerServiceDefinition.builder("test.Bytes")
                        .addMethod(
                                echo, ServerCalls.asyncUnaryCall((byte[] request, StreamObserver<byte[]> responses) -> {
                                    holding.countDown();
                                    awaitUninterruptibly(held);
                                    echo(request, responses);
                                }))
                        .build());
        CompletableFuture<byte[]> call = Machine.onThread(() -> NettyGrpc.call(service, echo, random(1000)));
        assertThat(holding.await(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
        CompletableFuture<Boolean> stop = Machine.onThread(() -> NettyGrpc.stop(server));
        while (!server.isShutdown()) {
            Thread.onSpinWait();
        }
        assertThat(call).isNotDone();
        held.countDown();
        assertThat(call.get(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(random(1000));
        assertThat(stop.get(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void grpcWithoutAServerIsUnavailable() throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress(service)
                .eventLoopGroup(hostLoop)
                .channelType(ComchChannel.class, ComchAddress.class)
                .usePlaintext()
                .build();
        try {
            assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                            channel, method("Echo", MethodType.UNARY), CallOptions.DEFAULT, new byte[1]))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure -> assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
        } finally {
            channel.shutdownNow();
            assertThat(channel.awaitTermination(PATIENCE, TimeUnit.MILLISECONDS))
                    .isTrue();
        }
    }

    private static void echo(byte[] request, StreamObserver<byte[]> responses) {
        responses.onNext(request);
        responses.onCompleted();
    }

    private static void parts(byte[] request, StreamObserver<byte[]> responses) {
        for (int i = 0; i < request.length; i++) {
            responses.onNext(random(10_000 + i));
        }
        responses.onCompleted();
    }
}
