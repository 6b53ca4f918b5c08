package examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import io.github.comch4j.rpc.RpcServer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Calls of methods at the DPU. */
public final class RpcExample {
    static final int SHOUT = 1;
    static final int LOOK_UP = 2;

    private RpcExample() {}

    public static RpcServer server(EventLoop loop, Device device, Representor representor, String name, Executor executor) {
        // @start region="server"
        RpcServer server = RpcServer.builder(loop, device, representor, name)
                .method(SHOUT, request -> new String(request.body(), UTF_8).toUpperCase(Locale.ROOT).getBytes(UTF_8))
                .method(LOOK_UP, executor, request -> slowly(request.body()))   // may block: not in the loop
                .start();
        // @end
        return server;
    }

    private static byte[] slowly(byte[] key) throws InterruptedException {
        Thread.sleep(1);
        return key;
    }

    public static String client(EventLoop loop, Device device, String name) {
        // @start region="client"
        try (RpcClient client = RpcClient.builder(loop, device, name).connect(Duration.ofSeconds(5))) {
            CompletableFuture<byte[]> later = client.callAsync(LOOK_UP, "a key".getBytes(UTF_8));
            String answer = new String(client.call(SHOUT, "hello".getBytes(UTF_8)), UTF_8);
            return answer + ", " + new String(later.join(), UTF_8);
        } catch (RpcException e) {
            return e.kind() + ": " + e.getMessage();         // TIME_OUT, BUSY, FAILED, ...
        }
        // @end
    }
}
