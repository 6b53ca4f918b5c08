package samples.grpc;

import io.github.comch4j.core.PciAddress;
import io.github.comch4j.netty.*;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;

/** On the DPU: a gRPC server without IP. */
public class Dpu {
    public static void main(String[] args) throws IOException, InterruptedException {
        var service = ServerServiceDefinition.builder(Service.NAME)
                .addMethod(Service.WHO, ServerCalls.asyncUnaryCall((request, responses) -> {
                    responses.onNext("hello " + request + ", this is process "
                            + ProcessHandle.current().pid());
                    responses.onCompleted();
                }))
                .addMethod(Service.COUNT, ServerCalls.asyncServerStreamingCall((request, responses) -> {
                    for (int i = 1; i <= Integer.parseInt(request); i++) {
                        responses.onNext("response " + i);
                    }
                    responses.onCompleted();
                }))
                .build();
        var loop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        var address = ComchAddress.of(PciAddress.of("0000:03:00.0"), PciAddress.of("0000:b1:00.0"), "grpc");
        NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .channelType(ComchServerChannel.class)
                .addService(service)
                .build()
                .start();
        System.out.println("gRPC is served as \"grpc\"");
        Thread.currentThread().join(); // until the program is ended
    }
}
