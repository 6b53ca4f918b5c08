package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.time.Duration;
import java.util.ArrayList;

/** On the host: says something in the room, and waits for so many lines of others. */
public class RoomClient {
    public static void main(String[] args) {
        var heard = new ArrayList<String>();
        int lines = Integer.parseInt(args[2]);
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = ComchClient.builder(engine, device, args[0])
                     .onMessage((connection, message) -> heard.add(UTF_8.decode(message.asByteBuffer()).toString()))
                     .connect(Duration.ofSeconds(5))) {
            client.connection().send(args[1].getBytes(UTF_8));
            System.out.println("in the room");
            engine.await(() -> heard.size() >= lines, Duration.ofMinutes(1));
            heard.forEach(System.out::println);
        }
    }
}
