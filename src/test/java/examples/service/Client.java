package examples.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.*;
import io.github.comch4j.rpc.*;
import java.nio.ByteBuffer;
import java.time.Duration;

/** On the host: {@code Client add SESSION} adds 1 for ever, {@code follow} shows changes, {@code health} asks once. */
public class Client {
    private static RpcClient client;
    public static void main(String[] args) throws InterruptedException {
        try (var loop = EventLoop.start("client");
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                var rpc = RpcClient.builder(loop, device, Service.NAME)
                        .reconnect(Duration.ofMillis(10), Duration.ofMillis(500))
                        .waitForReady(true) // calls wait while the server is restarted, within their time
                        .connect(Duration.ofSeconds(30))) {
            client = rpc;
            switch (args[0]) {
                case "add" -> add(Long.parseLong(args[1]));
                case "follow" -> follow();
                default -> System.out.println(new String(rpc.call(Service.HEALTH, new byte[0]), UTF_8));
            }
        }
    }

    /** Adds 1 to the session's own key, again and again. A session has one call at a time. */
    private static void add(long session) throws InterruptedException {
        for (long number = 1; ; number++) {
            ByteBuffer body = ByteBuffer.allocate(32).putLong(session).putLong(number).putLong(session).putLong(1);
            byte[] answer = call(Service.ADD, body.array());
            System.out.println(number + " " + ByteBuffer.wrap(answer).getLong());
        }
    }

    /** Repeats what may be repeated: the service knows a call of a session again by its number. */
    private static byte[] call(int method, byte[] body) throws InterruptedException {
        while (true) {
            try {
                return client.call(method, body, Duration.ofSeconds(5));
            } catch (RpcException e) {
                switch (e.kind()) {
                    case BUSY, TIME_OUT, UNAVAILABLE -> Thread.sleep(20); // whether it was NOT_SENT, REFUSED or SENT
                    default -> throw e; // the service has said no, and would again
                }
            }
        }
    }

    /** First a snapshot, then every change after it, each once. */
    private static void follow() throws InterruptedException {
        long sequence = -1;
        while (true) {
            byte[] after = ByteBuffer.allocate(8).putLong(sequence).array();
            ByteBuffer answer = ByteBuffer.wrap(call(Service.READ, after));
            if (answer.get() == Journal.SNAPSHOT) {
                sequence = answer.getLong();
                long sum = 0;
                while (answer.hasRemaining()) {
                    answer.getLong(); // the key
                    sum += answer.getLong();
                }
                System.out.println("snapshot " + sequence + " " + sum);
            }
            while (answer.hasRemaining()) {
                sequence = answer.getLong();
                System.out.println("change " + sequence + " " + answer.getLong() + " " + answer.getLong());
            }
        }
    }
}
