package examples;

// @start region="program"
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;

/** On the host: sends a message and a buffer, and prints the answers. */
public final class EchoClient {
    public static void main(String[] arguments) {
        var answers = new ArrayDeque<String>();
        var consumers = new ArrayDeque<Integer>();
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));            // the host's BlueField function
             var client = ComchClient.builder(engine, device, arguments[0])
                     .onMessage((connection, message) -> answers.add(StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString()))
                     .onConsumer((connection, id) -> consumers.add(id))
                     .onDisconnected(connection -> System.err.println("the server has gone"))
                     .connect(Duration.ofSeconds(5));                                 // waits for the server
             var memory = MemoryMap.allocate(device, 1 << 20, Access.PCI_READ_WRITE); // what is sent must be in a map
             var producer = client.connection().producer(engine).releaseSent().start()) {

            client.connection().send("hello".getBytes(StandardCharsets.UTF_8));       // control path: copied, up to 4 KB
            await(engine, answers);
            System.out.println(answers.remove());

            await(engine, consumers);                                                 // fast path: a consumer of the peer is needed
            Buffer buffer = producer.acquire(memory, 0, 4096);
            buffer.segment().fill((byte) 42);                                         // written in place
            while (!producer.trySend(buffer, consumers.peek()).accepted()) {          // no buffer is posted there now
                engine.progress();
            }
            await(engine, answers);
            System.out.println(answers.remove());
        }
    }

    /** Progresses, so that handlers run, until one of them has put something there. */
    private static void await(ProgressEngine engine, Collection<?> news) {
        if (!engine.await(() -> !news.isEmpty(), Duration.ofSeconds(5))) {
            throw new IllegalStateException("no answer");
        }
    }
}
// @end
