package examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcResponse;
import io.github.comch4j.rpc.RpcServer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Calls of methods at the DPU. */
public final class RpcExample {
    static final int SHOUT = 1;
    static final int LOOK_UP = 2;
    static final int NO_KEY = 404;

    private RpcExample() {}

    public static RpcServer server(EventLoop loop, Device device, Representor representor, String name) {
        // @start region="server"
        RpcServer server = RpcServer.builder(loop, device, representor, name)
                .method(SHOUT, request -> new String(request.body(), UTF_8).toUpperCase(Locale.ROOT).getBytes(UTF_8))
                .blocking(LOOK_UP, request -> slowly(request))   // may block: not in the loop
                .start();
        // @end
        return server;
    }

    private static byte[] slowly(RpcRequest request) throws InterruptedException {
        Thread.sleep(1);                                         // interrupted if the client does not wait any more
        // @start region="failed"
        if (request.body().length == 0) {
            throw RpcException.failed(NO_KEY, "a key is needed", new byte[] {1, 2, 3});
        }
        // @end
        request.putResponseMetadata("trace", request.metadata().getOrDefault("trace", "none"));
        return request.body();
    }

    public static String client(EventLoop loop, Device device, String name) {
        // @start region="client"
        try (RpcClient client = RpcClient.builder(loop, device, name).connect(Duration.ofSeconds(5))) {
            CompletableFuture<byte[]> later = client.callAsync(LOOK_UP, "a key".getBytes(UTF_8));
            String answer = new String(client.call(SHOUT, "hello".getBytes(UTF_8)), UTF_8);
            return answer + ", " + new String(later.join(), UTF_8);
        } catch (RpcException e) {
            return e.kind() + ": " + e.getMessage();             // TIME_OUT, BUSY, FAILED, ...
        }
        // @end
    }

    public static String prepared(RpcClient client, byte[] key) {
        // @start region="prepared"
        try {
            RpcResponse response = client.prepare(LOOK_UP)
                    .metadata("trace", "4bf92f35")
                    .timeout(Duration.ofSeconds(1))
                    .call(key);
            return response.body().length + " bytes, trace " + response.metadata().get("trace");
        } catch (RpcException e) {
            return e.code() + ": " + e.getMessage() + ", " + e.detail().length + " bytes of detail";
        }
        // @end
    }

    public static void stop(RpcServer server) {
        // @start region="stop"
        server.shutdown();                                       // clients send no more calls to it
        if (!server.awaitTermination(Duration.ofSeconds(30))) {
            System.err.println("calls that take too long are given up: " + server);
        }
        server.close();
        // @end
    }
}
