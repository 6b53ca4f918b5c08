package examples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.DocaError;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.comch.SlotRowHandler;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.dma.DmaContext;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.io.ConsumerLabels;
import io.github.comch4j.io.RecordReader;
import io.github.comch4j.io.RecordWriter;
import io.github.comch4j.management.MBeans;
import io.github.comch4j.micrometer.ComchMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;

/** The examples of the Javadoc, one method each, so that they are compiled and run. */
public final class Pieces {
    /** Tells the loops below to go on. */
    public volatile boolean running = true;

    public void server() {
        // @start region="server"
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var representor = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = ComchServer.builder(engine, device, representor, "pieces")
                     .onMessage((connection, message) -> connection.trySend(message))
                     .start()) {
            while (running && !server.isClosed()) {
                engine.progress();
            }
        }
        // @end
    }

    public void progress(ProgressEngine engine) {
        // @start region="progress"
        while (running) {
            if (!engine.progress()) {
                Thread.onSpinWait();          // or yield, or sleep: nothing was ready
            }
        }
        // @end
    }

    public void idle(ProgressEngine engine) {
        // @start region="idle"
        IdleStrategy idle = IdleStrategy.backOff();
        while (running) {
            idle.idle(engine.progress(64));
        }
        // @end
    }

    public boolean pool(MemoryMap memory, ComchProducer producer, int consumer, String text) {
        // @start region="pool"
        BufferPool pool = BufferPool.create(memory, 64, 4096);
        BufferPool.Slot slot = pool.tryAcquire();         // null while all are out
        slot.segment().setString(0, text);              // in place
        slot.commit(text.length() + 1);                 // what is to be sent; or slot.abort()
        boolean accepted = producer.trySend(slot.buffer(), consumer).accepted();
        // in the completion handler: pool.slotOf(buffer).release(), unless the producer has releaseSent()
        // @end
        return accepted && pool.available() == 63;
    }

    public long dma(ProgressEngine engine, Device dpu, byte[] descriptor, MemoryMap mine) {
        // @start region="dma"
        try (MemoryMap theirs = MemoryMap.importFrom(dpu, descriptor);   // of exportPci(), sent over Comch
             BufferInventory buffers = BufferInventory.create(16);
             DmaContext dma = DmaContext.builder(dpu, engine)
                     .onCopied((self, from, to, status) -> to.clear())    // is told of each copy; to has its data
                     .start()) {
            Buffer from = buffers.acquire(theirs, 0, 4096);               // its data are copied
            Buffer to = buffers.acquireEmpty(mine, 0, 4096);              // and go where this has room
            dma.copy(from, to);                                           // waits
            to.clear();
            dma.enqueue(from, to);                                        // does not, and is for many
            while (dma.inFlight() > 0) {
                engine.progress(64);
            }
            return dma.copied();
        }
        // @end
    }

    public int slots(ComchConnection connection, ProgressEngine engine, int consumer, long[] prices) {
        int sent = 0;
        // @start region="slots"
        try (SlotProducer producer = connection.slotProducer(engine, 64).tasks(256).start()) {
            MemorySegment memory = producer.memory();
            while (sent < prices.length) {
                long at = producer.claim(8, consumer);     // where to write, or less than 0: no slot is free
                if (at >= 0) {
                    memory.set(JAVA_LONG, at, prices[sent++]);
                    producer.commit();
                } else {
                    engine.progress(256);                  // completions free slots
                }
            }
            while (!producer.flush() || producer.inFlight() > 0) {
                engine.progress(256);                      // until all are sent: closing does not wait for the consumer to post
            }
        }
        // @end
        return sent;
    }

    public int slotsMany(SlotProducer producer, ProgressEngine engine, int consumer, long[] prices) {
        int sent = 0;
        // @start region="slots-many"
        while (sent < prices.length) {
            long at = producer.claimMany(prices.length - sent, 8, consumer);
            if (at < 0) {
                engine.progress(256);
                continue;
            }
            for (int i = producer.claimed(); i > 0; i--) {
                producer.memory().set(JAVA_LONG, at, prices[sent++]);
                at += producer.stride();
            }
            producer.commit();                             // each of them a message
        }
        // @end
        return sent;
    }

    public long poll(ComchConnection connection, ProgressEngine engine, Duration timeout) {
        long[] sum = new long[1];
        // @start region="poll"
        try (SlotConsumer consumer = connection.slotConsumer(engine, 64).tasks(256).start(timeout)) {
            int polled;
            do {
                polled = consumer.poll((memory, offset, length, producer) -> sum[0] += memory.get(JAVA_LONG, offset), 256);
            } while (running || polled > 0);
        }
        // @end
        return sum[0];
    }

    public long pollRows(SlotConsumer consumer) {
        long[] sum = new long[1];
        // @start region="poll-rows"
        long stride = consumer.stride();
        SlotRowHandler handler = (memory, offset, count, length, producer) -> {
            for (int i = 0; i < count; i++) {
                sum[0] += memory.get(JAVA_LONG, offset + i * stride);
            }
        };
        int polled;
        do {
            polled = consumer.pollRows(handler, 256);
        } while (running || polled > 0);
        // @end
        return sum[0];
    }

    public long recordsWrite(SlotProducer producer, int consumer, long[] prices) {
        // @start region="records-write"
        RecordWriter writer = new RecordWriter(producer, consumer);
        for (long price : prices) {
            long at;
            while ((at = writer.claim(8, 1)) < 0) {        // 8 bytes, of type 1
                writer.progress();
            }
            writer.memory().set(JAVA_LONG, at, price);
            writer.commit();
        }
        writer.flush();                                    // or writer.progress() now and then
        // @end
        return writer.records();
    }

    public long recordsWriteMany(RecordWriter writer, long[] prices) {
        // @start region="records-write-many"
        for (int next = 0; next < prices.length;) {
            long at = writer.claimMany(prices.length - next, 8, 1);
            if (at < 0) {
                writer.progress();
                continue;
            }
            for (int i = writer.claimed(); i > 0; i--) {
                writer.memory().set(JAVA_LONG, at, prices[next++]);
                at += RecordWriter.stride(8);
            }
            writer.commit();
        }
        // @end
        return writer.records();
    }

    public long recordsRead(SlotConsumer consumer) {
        long[] sum = new long[1];
        // @start region="records-read"
        RecordReader reader = new RecordReader((memory, offset, length, type, producer) -> sum[0] += memory.get(JAVA_LONG, offset));
        int polled;
        do {
            polled = consumer.poll(reader, 16);
        } while (running || polled > 0);
        // @end
        return sum[0];
    }

    public boolean eventLoop(Device device, byte[] greeting) {
        boolean sent;
        // @start region="loop"
        try (EventLoop loop = EventLoop.start("comch")) {
            ComchClient client = loop.call(() -> ComchClient.builder(loop.engine(), device, "pieces").connect(Duration.ofSeconds(5)));
            loop.execute(() -> client.connection().send(greeting)); // and does not wait
            sent = loop.call(() -> client.connection().trySend(greeting).accepted());
        } // closes the client, too
        // @end
        return sent;
    }

    public byte[] socket(Device device, byte[] question) {
        byte[] answer;
        // @start region="socket"
        try (EventLoop loop = EventLoop.start("comch");
             MessageSocket socket = MessageSocket.connect(loop, device, "pieces", Duration.ofSeconds(5))) {
            socket.send(question, Duration.ofSeconds(1));
            answer = socket.receive(Duration.ofSeconds(1));
        }
        // @end
        return answer;
    }

    public void serverSocket(Device device, Representor representor) {
        // @start region="serversocket"
        try (EventLoop loop = EventLoop.start("comch");
             MessageServerSocket server = MessageServerSocket.open(loop, device, representor, "pieces");
             MessageSocket client = server.accept(Duration.ofSeconds(5))) {
            byte[] question = client.receive(Duration.ofSeconds(5));
            client.send(question, Duration.ofSeconds(1));
        }
        // @end
    }

    public void channelService(Device device, Representor representor) {
        // @start region="channelservice"
        try (var service = ChannelEndpoint.builder(device).listen(representor, "pieces")) {
            MemorySegment buffer = Arena.ofAuto().allocate(service.maxMessageSize());
            while (running) {
                ChannelPeer from = service.receive(buffer, Duration.ofSeconds(1));
                if (from != null) {
                    service.send(from, buffer.asSlice(0, service.receivedLength()), Duration.ofSeconds(1));
                }
            }
        }
        // @end
    }

    public byte[] channelClient(Device device, MemorySegment question) {
        byte[] answer;
        // @start region="channelclient"
        try (var client = ChannelEndpoint.builder(device).client()) {
            ChannelPeer service = client.connect("pieces", Duration.ofSeconds(5));
            client.send(service, question, Duration.ofSeconds(1));
            MemorySegment buffer = Arena.ofAuto().allocate(client.maxMessageSize());
            client.receive(buffer, Duration.ofSeconds(5));
            answer = buffer.asSlice(0, client.receivedLength()).toArray(JAVA_BYTE);
        }
        // @end
        return answer;
    }

    public void output(ComchConnection connection, ProgressEngine engine, int consumerId, ByteBuffer bytes)
            throws IOException {
        // @start region="output"
        try (ComchOutputChannel channel = ComchOutputChannel.open(connection, consumerId, engine, 16, 64 * 1024)) {
            channel.write(bytes); // all of them; waits while the peer does not read
        } // the peer reads the end of the stream
        // @end
    }

    public int input(ComchConnection connection, ProgressEngine engine, ByteBuffer bytes) throws IOException {
        int count = 0;
        // @start region="input"
        try (ComchInputChannel channel = ComchInputChannel.open(connection, engine, 16, 64 * 1024)) {
            while (channel.read(bytes) >= 0) { // -1: the peer has closed its channel
                count += bytes.position();
                bytes.clear();
            }
        }
        // @end
        return count;
    }

    public int label(ComchConnection connection, ProgressEngine engine) {
        // @start region="label"
        SlotConsumer orders = connection.slotConsumer(engine, 64).start();
        connection.enqueue(ConsumerLabels.message(orders.id(), "orders"));
        // @end
        return orders.id();
    }

    public int labelled(ProgressEngine engine, Device device, String server) {
        int orders;
        // @start region="labelled"
        var labels = new ConsumerLabels();
        try (var client = ComchClient.builder(engine, device, server)
                .onConsumer(labels::onConsumer)
                .onConsumerExpired(labels::onConsumerExpired)
                .onMessage(labels.before((connection, message) -> { /* all that is no label */ }))
                .connect(Duration.ofSeconds(5))) {
            orders = labels.await(client.connection(), "orders", Duration.ofSeconds(5)); // what producers send to
        }
        // @end
        return orders;
    }

    public void management(Runnable work) {
        // @start region="management"
        MBeans management = MBeans.register(); // jconsole, or whatever reads MBeans, sees the domain io.github.comch4j now
        work.run();
        management.close();
        // @end
    }

    public void metrics(MeterRegistry registry) {
        // @start region="metrics"
        ComchMetrics metrics = new ComchMetrics();
        metrics.bindTo(registry); // of Prometheus, OTLP, Datadog: any MeterRegistry
        // @end
        metrics.close();
    }

    public void faults(Runnable whatMustSurvive) {
        // @start region="faults"
        new EmulatedFaults().failSend(3, DocaError.IO_FAILED).apply(); // the third one from now on
        whatMustSurvive.run();
        EmulatedFaults.clear();
        // @end
    }
}
