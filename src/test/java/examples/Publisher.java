package examples;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.Broadcast;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** On the DPU: sends the same data to the consumer of each client, out of one place in memory. */
public final class Publisher implements AutoCloseable {
    private record Subscriber(ComchProducer producer, int consumer) {}

    private final ProgressEngine engine = ProgressEngine.create();
    private final Map<ComchConnection, Subscriber> subscribers = new HashMap<>();
    private final Broadcast.Pool pool;
    private final ComchServer server;
    private long missed;

    public Publisher(Device device, Representor representor, String name) {
        // @start region="subscribe"
        pool = Broadcast.Pool.create(MemoryMap.allocate(device, 16 * 65536, Access.PCI_READ_WRITE), 16, 65536);
        server = ComchServer.builder(engine, device, representor, name)
                .onConsumer((connection, id) -> {
                    ComchProducer producer = connection.producer(engine)
                            .releaseSent()                           // or nobody learns when a place is free
                            .onCompletion((self, buffer, status) -> {}) // what fails, fails with its client
                            .start();
                    subscribers.put(connection, new Subscriber(producer, id));
                })
                .onDisconnected(subscribers::remove)             // its producer ends with it
                .start();
        // @end
    }

    // @start region="publish"
    public boolean publish(MemorySegment data) {
        Broadcast broadcast = pool.tryAcquire();
        if (broadcast == null) {
            return false;                                        // all places are in flight: progress
        }
        broadcast.segment().copyFrom(data);                      // or written in place: once for all
        broadcast.commit(data.byteSize());
        for (Subscriber subscriber : subscribers.values()) {
            try {
                if (!broadcast.trySend(subscriber.producer(), subscriber.consumer()).accepted()) {
                    missed++;                                    // this one is behind, and gets a later one
                }
            } catch (DocaException leaving) {                    // its consumer has ended; onDisconnected follows
                missed++;
            }
        }
        broadcast.release();                                     // its place is free when the last send has ended
        return true;
    }
    // @end

    public void progress() {
        engine.progress();
    }

    public int subscribers() {
        return subscribers.size();
    }

    public long missed() {
        return missed;
    }

    @Override
    public void close() {
        server.close();
        pool.memory().close();
        engine.close();
    }
}
