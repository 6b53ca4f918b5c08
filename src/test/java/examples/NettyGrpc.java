package examples;

import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** gRPC between host and DPU. */
@SuppressWarnings("FutureReturnValueIgnored") // of the loop's end, which nobody waits for
public final class NettyGrpc {
    private NettyGrpc() {}

    // @start region="grpc-server"
    /** On the DPU. */
    public static Server serve(EventLoopGroup loop, ComchAddress address, ServerServiceDefinition service)
            throws IOException {
        return NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)         // not used: an accepted channel lives on its server's loop
                .channelType(ComchServerChannel.class)
                .addService(service)
                .build()
                .start();
    }
    // @end

    // @start region="grpc-client"
    /** On the host: a whole client, with one call. Generated stubs take the same channel. */
    public static byte[] call(ComchAddress address, MethodDescriptor<byte[], byte[]> method, byte[] request)
            throws InterruptedException {
        var loop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        var channel = NettyChannelBuilder.forAddress(address)
                .eventLoopGroup(loop)
                .channelType(ComchChannel.class, ComchAddress.class)
                .usePlaintext()                     // gRPC wants TLS otherwise, and a certificate of a host name
                .build();
        try {
            var options = CallOptions.DEFAULT
                    .withWaitForReady()             // there may be no server for a while
                    .withDeadlineAfter(10, TimeUnit.SECONDS);
            return ClientCalls.blockingUnaryCall(channel, method, options, request);
        } finally {
            channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
            loop.shutdownGracefully();
        }
    }
    // @end

    public static boolean stop(Server server) throws InterruptedException {
        // @start region="grpc-stop"
        server.shutdown();                          // clients are told; their calls go on
        boolean ended = server.awaitTermination(30, TimeUnit.SECONDS);
        server.shutdownNow();                       // what is left is given up
        // @end
        return ended;
    }
}
