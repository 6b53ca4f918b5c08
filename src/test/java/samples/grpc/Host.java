package samples.grpc;

import io.github.comch4j.core.PciAddress;
import io.github.comch4j.netty.*;
import io.grpc.CallOptions;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.TimeUnit;

/** On the host: {@code Host [NAME [COUNT]]} calls both methods. */
public class Host {
    public static void main(String[] args) throws InterruptedException {
        var name = args.length > 0 ? args[0] : "DPU";
        var count = args.length > 1 ? args[1] : "3";
        var loop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        var channel = NettyChannelBuilder.forAddress(ComchAddress.of(PciAddress.of("0000:b1:00.0"), "grpc"))
                .eventLoopGroup(loop)
                .channelType(ComchChannel.class, ComchAddress.class)
                .usePlaintext() // there is no network between host and DPU that TLS would protect from
                .build();
        var options = CallOptions.DEFAULT
                .withWaitForReady() // the server may come later
                .withDeadlineAfter(10, TimeUnit.SECONDS);
        try {
            System.out.println(ClientCalls.blockingUnaryCall(channel, Service.WHO, options, name));
            var responses = ClientCalls.blockingServerStreamingCall(channel, Service.COUNT, options, count);
            responses.forEachRemaining(System.out::println);
        } finally {
            channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
            loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
