package examples.tutorial;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.io.RecordWriter;
import java.time.Duration;
import java.util.ArrayDeque;

/** On the host: sends a million prices. */
public class RecordClient {
    static final int PRICE = 1, END = 2; // types of records

    public static void main(String[] args) {
        var answers = new ArrayDeque<String>();
        int[] consumer = new int[1];
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = ComchClient.builder(engine, device, args[0])
                     .onMessage((connection, message) -> answers.add(UTF_8.decode(message.asByteBuffer()).toString()))
                     .onConsumer((connection, id) -> consumer[0] = id)
                     .connect(Duration.ofSeconds(5));
             var producer = client.connection().slotProducer(engine, 8192).tasks(64).start()) {
            engine.await(() -> consumer[0] != 0, Duration.ofSeconds(5));
            var writer = new RecordWriter(producer, consumer[0]);
            for (long price = 1; price <= 1_000_000; price++) {
                write(writer, PRICE, price);
            }
            write(writer, END, 0);
            engine.await(() -> {
                writer.progress();                  // sends what is left
                return !answers.isEmpty();
            }, Duration.ofSeconds(30));
            System.out.println("the DPU has " + answers.remove() + ", in " + writer.messages() + " messages");
        }
    }

    private static void write(RecordWriter writer, int type, long value) {
        long at;
        while ((at = writer.claim(8, type)) < 0) { // where to write 8 bytes; below 0: no room at this moment
            writer.progress();
        }
        writer.memory().set(JAVA_LONG, at, value);
        writer.commit();
    }
}
