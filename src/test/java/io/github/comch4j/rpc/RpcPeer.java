package io.github.comch4j.rpc;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The other process of {@link RpcKillsIT} and {@link LargeBodiesIT}: {@code serve NAME}, {@code call NAME CALLS},
 * {@code stream NAME LENGTH}. Never ends by itself.
 */
public final class RpcPeer {
    static final int HOLD = 1;
    static final int ECHO = 2;
    static final int THRESHOLD = 1000;

    private RpcPeer() {}

    /** Starts one. */
    static Child start(String... arguments) {
        return Child.start(RpcPeer.class, List.of(), Map.of(), arguments);
    }

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        EventLoop loop = EventLoop.start("loop");
        if (arguments[0].equals("serve")) {
            serve(loop, arguments[1]);
        } else if (arguments[0].equals("stream")) {
            stream(loop, arguments[1], Integer.parseInt(arguments[2]));
        } else {
            call(loop, arguments[1], Integer.parseInt(arguments[2]));
        }
    }

    private static void serve(EventLoop loop, String name) {
        var dpu = Device.openDpu(Machine.DPU);
        int[] requests = new int[1]; // in the loop
        RpcServer.builder(loop, dpu, dpu.openRepresentor(Machine.HOST), name)
                .largeBodies(THRESHOLD)
                .method(ECHO, RpcRequest::body)
                .asyncMethod(HOLD, request -> {
                    System.out.println("request " + ++requests[0]);
                    return new CompletableFuture<>();
                })
                .start();
        System.out.println("serving");
    }

    private static void call(EventLoop loop, String name, int calls) {
        RpcClient client =
                RpcClient.builder(loop, Device.openHost(Machine.HOST), name).connect(Machine.PATIENCE);
        for (int i = 0; i < calls; i++) {
            var _ = client.callAsync(HOLD, new byte[64], Duration.ofHours(1));
        }
        System.out.println("calling");
    }

    /** Calls with long bodies, several at a time, for ever. */
    private static void stream(EventLoop loop, String name, int length) throws Exception {
        RpcClient client = RpcClient.builder(loop, Device.openHost(Machine.HOST), name)
                .largeBodies(THRESHOLD)
                .timeout(Duration.ofHours(1))
                .connect(Machine.PATIENCE);
        for (int i = 0; i < 4; i++) {
            Thread.ofPlatform().start(() -> {
                while (true) {
                    client.call(ECHO, new byte[length]);
                }
            });
        }
    }
}
