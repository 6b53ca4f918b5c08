package examples;

import examples.Blocks.Kind;
import examples.Blocks.Message;
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * On the host: reads and writes ranges of the file of a {@link BlockServer}, several at a time. No byte is copied here:
 * what is read arrives where it is to be, and what is written goes out from where it is.
 */
public final class BlockClient implements AutoCloseable {
    /** Is told what has become of a request, by {@link #progress}. */
    public interface Handler {
        /** {@code intact}: the data have arrived, and their checksum is right at both ends. */
        void done(long request, boolean intact);
    }

    private record Write(MemoryMap source, long at, long length) {}

    private record Outcome(long request, boolean intact) {}

    private final ProgressEngine engine;
    private final ComchClient client;
    private final ComchConsumer consumer;
    private final ComchProducer producer;
    private final int depth;
    private final Handler handler;
    private final Queue<Message> reads = new ArrayDeque<>(); // their receives are posted, in this order
    private final Map<Long, Write> writes = new HashMap<>();
    private final Queue<Message> grants = new ArrayDeque<>();
    private final Queue<Outcome> outcomes = new ArrayDeque<>();
    private int consumerOfServer;
    private int open;

    /** {@code target} is where reads arrive; {@code depth}: how many requests there can be at a time. */
    public BlockClient(
            ProgressEngine engine,
            Device device,
            String name,
            MemoryMap target,
            int depth,
            Handler handler,
            Duration timeout) {
        this.engine = engine;
        this.depth = depth;
        this.handler = handler;
        this.client = ComchClient.builder(engine, device, name)
                .onMessage((connection, message) -> answered(Message.of(message)))
                .onConsumer((connection, id) -> consumerOfServer = id)
                .onConsumerExpired((connection, id) -> consumerOfServer = 0)
                .connect(timeout);
        try {
            ComchConnection connection = client.connection();
            this.producer = connection.producer(engine).tasks(depth).releaseSent().start();
            this.consumer = connection.consumer(engine, target).tasks(depth).repost(false)
                    .immediateLength(Message.BYTES)
                    .onReceive(this::arrived)
                    .start(timeout);
            if (!engine.await(() -> consumerOfServer != 0, timeout)) {
                throw new IllegalStateException("the server has no consumer");
            }
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Asks for a range, to arrive at {@code at} of the target. False: {@link #progress}, then try again. */
    public boolean tryRead(long request, long offset, long at, long length) {
        if (open == depth) {
            return false;
        }
        Message read = new Message(Kind.READ, 0, request, offset, length);
        consumer.tryPost(consumer.acquire(at, length)); // the place first: the data may come at once
        reads.add(read);
        open++;
        client.connection().send(read.bytes());
        return true;
    }

    private void arrived(ComchConsumer receiver, Buffer buffer, int producerId, MemorySegment immediate) {
        Message read = reads.remove();
        Message answer = Message.of(immediate);
        boolean intact = answer.kind() == Kind.DONE
                && answer.request() == read.request()
                && buffer.length() == read.length()
                && Blocks.crc(buffer.data()) == answer.crc();
        buffer.close();
        outcomes.add(new Outcome(read.request(), intact));
    }

    /** Asks to write what is at {@code at} of {@code source}. False: {@link #progress}, then try again. */
    public boolean tryWrite(long request, long offset, MemoryMap source, long at, long length) {
        if (open == depth) {
            return false;
        }
        int crc = Blocks.crc(source.segment().asSlice(at, length)); // the server compares it with what arrives
        writes.put(request, new Write(source, at, length));
        open++;
        client.connection().send(new Message(Kind.WRITE, crc, request, offset, length).bytes());
        return true;
    }

    private void answered(Message answer) {
        if (answer.kind() == Kind.GRANT) {
            grants.add(answer);
        } else if (writes.remove(answer.request()) != null) {
            outcomes.add(new Outcome(answer.request(), answer.kind() == Kind.DONE));
        }
    }

    /** In the order of the grants, which is that of the receives at the server. */
    private void sendGranted() {
        while (!grants.isEmpty()) {
            Write write = writes.get(grants.peek().request());
            Buffer buffer = producer.acquire(write.source(), write.at(), write.length());
            if (!producer.trySend(buffer, consumerOfServer).accepted()) {
                buffer.close();
                return;
            }
            grants.remove();
        }
    }

    /** To be called again and again while there are requests: moves data, and tells of requests that are done. */
    public boolean progress() {
        boolean busy = engine.progress();
        sendGranted();
        while (!outcomes.isEmpty()) {
            Outcome outcome = outcomes.remove();
            open--;
            handler.done(outcome.request(), outcome.intact());
        }
        if (open > 0 && !client.isConnected()) {
            throw new IllegalStateException("the server has gone, with " + open + " requests open");
        }
        return busy;
    }

    /** How many requests are not done. */
    public int open() {
        return open;
    }

    @Override
    public void close() {
        client.close(); // and with it producer and consumer
    }

    /** {@code NAME FILE BLOCK DEPTH}: writes a file to the server, reads it back, and compares. */
    public static void main(String[] arguments) throws Exception {
        long block = Long.parseLong(arguments[2]);
        int depth = Integer.parseInt(arguments[3]);
        long[] intact = new long[1];
        try (var arena = Arena.ofConfined();
             var channel = FileChannel.open(Path.of(arguments[1]));
             var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var source = MemoryMap.wrap(device,
                     channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena), Access.PCI_READ_ONLY);
             var target = MemoryMap.allocate(device, channel.size(), Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
             var client = new BlockClient(engine, device, arguments[0], target, depth,
                     (request, good) -> intact[0] += good ? 1 : 0, Duration.ofSeconds(10))) {
            long blocks = (source.size() + block - 1) / block;
            for (long i = 0; i < blocks; i++) {
                long at = i * block;
                while (!client.tryWrite(i, at, source, at, Math.min(block, source.size() - at))) {
                    client.progress(); // as many requests as the depth allows are under way
                }
            }
            while (client.open() > 0) {
                client.progress();
            }
            for (long i = 0; i < blocks; i++) {
                long at = i * block;
                while (!client.tryRead(i, at, at, Math.min(block, source.size() - at))) {
                    client.progress();
                }
            }
            while (client.open() > 0) {
                client.progress();
            }
            boolean same = source.segment().mismatch(target.segment()) < 0;
            System.out.println(intact[0] + " of " + 2 * blocks + " blocks intact, the file came back "
                    + (same ? "unchanged" : "changed"));
        }
    }
}
