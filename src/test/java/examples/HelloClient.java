package examples;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;

/** On the host: sends a message and waits for the answer. */
public class HelloClient {
    public static void main(String[] args) {
        var answers = new ArrayDeque<String>();
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = ComchClient.builder(engine, device, args[0])
                     .onMessage((connection, message) -> answers.add(StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString()))
                     .connect(Duration.ofSeconds(5))) {
            client.connection().send("hello".getBytes(StandardCharsets.UTF_8));
            if (!engine.await(() -> !answers.isEmpty(), Duration.ofSeconds(5))) {
                throw new IllegalStateException("no answer");
            }
            System.out.println("the DPU answers: " + answers.remove());
        }
    }
}
