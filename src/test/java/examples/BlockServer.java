package examples;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import examples.Blocks.Kind;
import examples.Blocks.Message;
import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * On the DPU: ranges of a mapped file for clients of the host to read and write. No byte of the file is copied here:
 * what is read goes out from the mapping, and what is written arrives in it.
 */
public final class BlockServer implements AutoCloseable {
    private static final int MOST_REQUESTS = 4096; // of one client, that wait
    private static final long LARGEST = 1L << 30;

    private final ProgressEngine engine;
    private final MemorySegment file;
    private final MemoryMap memory;
    private final ComchServer server;
    private final int depth;
    private final Queue<Session> ended = new ArrayDeque<>();

    /** {@code depth}: of how many writes a client may send the data at a time, and reads likewise. */
    public BlockServer(
            ProgressEngine engine, Device device, Representor function, String name, MemorySegment file, int depth) {
        this.engine = engine;
        this.file = file;
        this.depth = depth;
        this.memory = MemoryMap.wrap(device, file, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        this.server = ComchServer.builder(engine, device, function, name)
                .onConnected(connection -> connection.attach(new Session(connection)))
                .onMessage((connection, message) -> connection.attachment(Session.class).received(message))
                .onConsumer((connection, id) -> connection.attachment(Session.class).consumerOfClient = id)
                .onConsumerExpired((connection, id) -> connection.attachment(Session.class).consumerOfClient = 0)
                .onDisconnected(connection -> ended.add(connection.attachment(Session.class)))
                .start();
    }

    /** To be called again and again: serves the clients, as far as there is something to do. */
    public boolean progress() {
        boolean busy = engine.progress();
        for (ComchConnection connection : server.connections()) {
            connection.attachment(Session.class).work();
        }
        while (!ended.isEmpty()) {
            ended.remove().close(); // not allowed in a handler
        }
        return busy;
    }

    /** How many clients there are. */
    public int clients() {
        return server.connections().size();
    }

    @Override
    public void close() {
        server.close(); // and with it the producers and consumers
        memory.close();
    }

    /** A client. The handlers only note what has come; work() acts upon it, in the order in which it came. */
    private final class Session implements AutoCloseable {
        private final ComchConnection connection;
        private final ComchProducer producer;
        private final ComchConsumer consumer;
        private final Queue<Message> requests = new ArrayDeque<>();
        private final Queue<Message> granted = new ArrayDeque<>(); // their receives are posted, in this order
        private final Queue<Buffer> arrived = new ArrayDeque<>();
        private Buffer outgoing; // of the read that is next
        private int checksum;    // and of its data
        private boolean unfit;
        private int consumerOfClient;

        Session(ComchConnection connection) {
            this.connection = connection;
            this.producer = connection.producer(engine).tasks(depth).releaseSent()
                    .onCompletion((sender, buffer, status) -> unfit |= status != DocaError.SUCCESS)
                    .start();
            this.consumer = connection.consumer(engine, memory).tasks(depth).repost(false)
                    .onReceive((receiver, buffer, producerId, immediate) -> arrived.add(buffer))
                    .start();
        }

        void received(MemorySegment bytes) {
            try {
                requests.add(Message.of(bytes));
                unfit |= requests.size() > MOST_REQUESTS;
            } catch (IllegalArgumentException e) {
                unfit = true;
            }
        }

        void work() {
            try {
                while (!arrived.isEmpty()) {
                    acknowledge(granted.remove(), arrived.remove());
                }
                while (!unfit && !requests.isEmpty() && begin(requests.peek())) {
                    requests.remove();
                }
            } catch (IllegalArgumentException | DocaException e) {
                unfit = true; // such as a receive too small for the data, or a client that has gone
            }
            if (unfit) {
                connection.disconnect(); // the other clients go on
            }
        }

        private boolean begin(Message request) {
            return switch (request.kind()) {
                case READ -> send(request);
                case WRITE -> grant(request);
                default -> throw new IllegalArgumentException("a client neither grants nor acknowledges");
            };
        }

        private boolean isWithinFile(Message range) {
            return range.length() > 0
                    && range.length() <= LARGEST
                    && range.offset() >= 0
                    && range.length() <= file.byteSize() - range.offset();
        }

        /** A read: the data, and with them their checksum. False: there is no room yet. */
        private boolean send(Message read) {
            if (consumerOfClient == 0) {
                return false;
            }
            if (!isWithinFile(read)) { // uses up the receive that the client has posted for it
                return producer.trySendImmediate(consumerOfClient, read.answer(Kind.FAILED).bytes()).accepted();
            }
            if (outgoing == null) {
                outgoing = producer.acquire(memory, read.offset(), read.length()); // a window on the mapped file
                checksum = Blocks.crc(outgoing.data());
            }
            Message done = new Message(Kind.DONE, checksum, read.request(), read.offset(), read.length());
            if (!producer.trySend(outgoing, consumerOfClient, done.bytes()).accepted()) {
                return false;
            }
            outgoing = null; // the producer closes it when it has been sent
            return true;
        }

        /** A write: the client may send when the place for the data is posted. False: all receives are posted. */
        private boolean grant(Message write) {
            if (!isWithinFile(write)) {
                connection.send(write.answer(Kind.FAILED).bytes());
                return true;
            }
            if (consumer.state() != ContextState.RUNNING || consumer.posted() == depth) {
                return false;
            }
            consumer.tryPost(consumer.acquire(write.offset(), write.length())); // where the range is in the mapped file
            granted.add(write);
            connection.send(write.answer(Kind.GRANT).bytes());
            return true;
        }

        /** What was written is in the file: is it what the client has? */
        private void acknowledge(Message write, Buffer buffer) {
            boolean intact = buffer.length() == write.length() && Blocks.crc(buffer.data()) == write.crc();
            buffer.close();
            connection.send(write.answer(intact ? Kind.DONE : Kind.FAILED).bytes());
        }

        @Override
        public void close() {
            producer.close();
            consumer.close();
        }
    }

    /** {@code NAME FILE BYTES DEPTH}: serves a file, which is made that long, until it is interrupted. */
    public static void main(String[] arguments) throws Exception {
        long size = Long.parseLong(arguments[2]);
        try (var arena = Arena.ofConfined();
             var channel = FileChannel.open(Path.of(arguments[1]), READ, WRITE, CREATE);
             var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = new BlockServer(engine, device, function, arguments[0],
                     channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena), Integer.parseInt(arguments[3]))) {
            System.out.println("serving " + size + " bytes");
            while (!Thread.interrupted()) {
                if (!server.progress()) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
