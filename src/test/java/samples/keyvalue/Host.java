package samples.keyvalue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.*;
import io.github.comch4j.rpc.*;
import java.time.Duration;
import java.util.concurrent.Executors;

/**
 * On the host: {@code Host put KEY VALUE}, {@code get KEY}, {@code remove KEY}, {@code keys}; {@code load CALLS
 * CALLERS} gets a value from so many virtual threads. Without arguments, each of them once.
 */
public class Host {
    private final RpcClient client;

    private Host(RpcClient client) {
        this.client = client;
    }

    public static void main(String[] args) {
        try (var loop = EventLoop.start("key-value");
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                var client = RpcClient.builder(loop, device, "key-value").connect(Duration.ofSeconds(10))) {
            var host = new Host(client);
            if (args.length > 0) {
                host.run(args);
            } else {
                host.run("put", "colour", "blue");
                host.run("put", "shape", "round");
                host.run("keys");
                host.run("get", "colour");
                host.run("remove", "colour");
                host.run("get", "colour");
                host.run("load", "50000", "200");
            }
        }
    }

    private void run(String... words) {
        try {
            switch (words[0]) {
                case "put" -> call(Store.PUT, words[1], words[2]);
                case "get" -> System.out.println(words[1] + " = " + call(Store.GET, words[1], ""));
                case "remove" ->
                    System.out.println(words[1] + " is removed, it was " + call(Store.REMOVE, words[1], ""));
                case "keys" ->
                    System.out.println("keys: " + call(Store.KEYS, "", "").replace('\n', ' '));
                case "load" -> load(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                default -> throw new IllegalArgumentException("no such command: " + words[0]);
            }
        } catch (RpcException e) {
            System.out.println(e.code() == Store.NO_SUCH_KEY ? e.getMessage() : e.kind() + ": " + e.getMessage());
        }
    }

    private String call(int method, String key, String value) {
        return new String(
                client.prepare(method)
                        .metadata(Store.KEY, key)
                        .call(value.getBytes(UTF_8))
                        .body(),
                UTF_8);
    }

    /** Each caller is a virtual thread, which waits for its answer before it asks again. */
    private void load(int calls, int callers) {
        call(Store.PUT, "load", "x".repeat(100));
        long begin = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < callers; i++) {
                threads.execute(() -> {
                    for (int j = 0; j < calls / callers; j++) {
                        call(Store.GET, "load", "");
                    }
                });
            }
        } // waits for all
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.println(calls + " calls of " + callers + " callers: " + Math.round(calls / seconds) + " a second");
    }
}
