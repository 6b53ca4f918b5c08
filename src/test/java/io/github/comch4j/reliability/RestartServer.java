package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server of {@link RestartIT}, as a program would be that is restarted: it waits until its predecessor has let go of
 * the name, and when it is told to end, lets the calls end that it has.
 */
final class RestartServer {
    static final int QUICK = 1;
    static final int BLOCKING = 2;

    private RestartServer() {}

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        AtomicLong handled = new AtomicLong();
        EventLoop loop = EventLoop.start("loop");
        var dpu = Device.openDpu(Machine.DPU);
        var representor = dpu.openRepresentor(Machine.HOST);
        RpcServer server = RpcServer.builder(loop, dpu, representor, arguments[0])
                .method(QUICK, request -> answer(request, handled))
                .blocking(BLOCKING, request -> {
                    Thread.sleep(20);
                    return answer(request, handled);
                })
                .start(Duration.ofSeconds(60)); // the name is the predecessor's still
        System.out.println("serving");
        if (System.in.read() < 0) {
            throw new IllegalStateException("the test has ended");
        }
        server.shutdown();
        boolean ended = server.awaitTermination(Duration.ofSeconds(60));
        server.close();
        loop.close();
        System.out.println((ended ? "handled " : "gave up after ") + handled);
        System.exit(0);
    }

    private static byte[] answer(RpcRequest request, AtomicLong handled) {
        handled.incrementAndGet();
        return request.body();
    }
}
