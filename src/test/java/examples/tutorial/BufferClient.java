package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;

/** On the host: writes 1 MiB of numbers into registered memory, and sends it from there. */
public class BufferClient {
    static final int SIZE = 1 << 20;

    public static void main(String[] args) {
        var answers = new ArrayDeque<String>();
        int[] consumer = new int[1];                                   // of the server; 0: none yet
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = ComchClient.builder(engine, device, args[0])
                     .onMessage((connection, message) -> answers.add(UTF_8.decode(message.asByteBuffer()).toString()))
                     .onConsumer((connection, id) -> consumer[0] = id)
                     .connect(Duration.ofSeconds(5));
             var memory = MemoryMap.allocate(device, SIZE, Access.PCI_READ_WRITE);
             var producer = client.connection().producer(engine).start()) {
            engine.await(() -> consumer[0] != 0, Duration.ofSeconds(5));
            Buffer buffer = producer.acquire(memory, 0, SIZE);         // a window on the memory
            for (int i = 0; i < SIZE / 8; i++) {
                buffer.segment().set(ValueLayout.JAVA_LONG, 8L * i, i);
            }
            while (!producer.trySend(buffer, consumer[0]).accepted()) {
                engine.progress();                                     // no receive is posted at this moment
            }
            engine.await(() -> !answers.isEmpty(), Duration.ofSeconds(5));
            System.out.println("the DPU has " + answers.remove());
        }
    }
}
