package examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import java.time.Duration;

/** A client, and a socket, that go on when their server has been started again. */
public final class StaysConnected {
    private StaysConnected() {}

    public static RpcClient connect(EventLoop loop, Device device, String server) {
        // @start region="reconnect"
        RpcClient client = RpcClient.builder(loop, device, server)
                .reconnect(Duration.ofMillis(10), Duration.ofSeconds(5)) // 10 ms after the end, then 20, 40, ... 5 s
                .waitForReady(true)                                      // calls made meanwhile wait, within their time
                .onState((self, state) -> System.out.println(state))
                .connect(Duration.ofSeconds(30));
        // @end
        return client;
    }

    public static String ask(RpcClient client, String question) {
        // @start region="ask"
        try {
            return new String(client.call(1, question.getBytes(UTF_8)), UTF_8);
        } catch (RpcException e) {
            if (e.delivery() == RpcException.Delivery.SENT) {
                // The server may have handled the call before it died, or not: nobody knows. Only who knows that this
                // question may be asked twice asks again.
                return "perhaps";
            }
            return e.getMessage();
        }
        // @end
    }

    public static MessageSocket socket(EventLoop loop, Device device, String server) {
        // @start region="socket"
        MessageSocket socket = MessageSocket.builder(loop, device, server)
                .reconnect(Duration.ofMillis(10), Duration.ofSeconds(5))
                .onState((self, state) -> System.out.println(state))
                .connect(Duration.ofSeconds(30));
        // @end
        return socket;
    }

    // @start region="send"
    /** Returns false if there was no server for a minute. */
    public static boolean deliver(MessageSocket socket, byte[] message) {
        while (true) {
            try {
                socket.send(message, Duration.ofSeconds(5));
                return true;
            } catch (ConnectionClosedException e) {
                // this message was not sent, nor those before it that the exception's message counts; of what was
                // handed to the device before them, nobody knows whether the server has seen it
                if (!socket.awaitConnected(Duration.ofMinutes(1))) {
                    return false;
                }
            }
        }
    }
    // @end
}
