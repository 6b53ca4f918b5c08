package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.*;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import java.time.Duration;

/** On the host: asks again and again, and outlives its server. */
public class SteadyClient {
    static final int WHO = 1;

    public static void main(String[] args) throws InterruptedException {
        try (var loop = EventLoop.start("client");
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = RpcClient.builder(loop, device, args[0])
                     .reconnect(Duration.ofMillis(10), Duration.ofSeconds(1)) // after 10 ms, then 20, 40, … 1 s
                     .waitForReady(true)                                      // calls made meanwhile wait for the next server
                     .timeout(Duration.ofSeconds(30))
                     .onState((self, state) -> System.out.println(state))
                     .connect(Duration.ofSeconds(5))) {
            for (int i = Integer.parseInt(args[1]); i > 0; i--) {
                try {
                    System.out.println(new String(client.call(WHO, new byte[0]), UTF_8));
                } catch (RpcException e) {
                    // the server had the question when it died: whether it has dealt with it, nobody knows
                    System.out.println(e.isSafeToRepeat() ? "not handled" : "perhaps handled");
                }
                Thread.sleep(200);
            }
        }
    }
}
