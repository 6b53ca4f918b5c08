package examples;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.ConsumerLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A connection whose fast path has several threads on the DPU, each with an engine and a consumer of its own. */
public final class SeveralEngines implements AutoCloseable {
    private final EventLoop control = EventLoop.start("control");
    private final List<EventLoop> workers = new ArrayList<>();
    private final AtomicLong sum = new AtomicLong();

    /** On the DPU. */
    public SeveralEngines(Device device, Representor representor, String name, int count) {
        for (int i = 0; i < count; i++) {
            workers.add(EventLoop.start("worker " + i));
        }
        control.call(() -> ComchServer.builder(control.engine(), device, representor, name)
                .onConnected(this::connected)
                .start());
    }

    // @start region="workers"
    private void connected(ComchConnection connection) {             // in the control loop
        for (int i = 0; i < workers.size(); i++) {
            String label = "worker " + i;
            EventLoop worker = workers.get(i);
            worker.execute(() -> {                                   // what is made on an engine is made by its thread
                int id = connection.slotConsumer(worker.engine(), 64)
                        .onMessage((memory, offset, length, producer) ->
                                sum.addAndGet(memory.get(JAVA_LONG_UNALIGNED, offset)))
                        .start()
                        .id();
                control.execute(() -> connection.send(ConsumerLabels.message(id, label))); // the control path is the control loop's
            });
        }
    }
    // @end

    // @start region="shards"
    /** On the host: each value goes to the worker of its key. */
    public static void send(Device device, String name, int workers, long[] values) {
        var labels = new ConsumerLabels();
        try (var engine = ProgressEngine.create();
             var client = ComchClient.builder(engine, device, name)
                     .onConsumer(labels::onConsumer)
                     .onConsumerExpired(labels::onConsumerExpired)
                     .onMessage(labels.before((connection, message) -> {}))
                     .connect(Duration.ofSeconds(5));
             var producer = client.connection().slotProducer(engine, 64).start()) {
            int[] consumers = new int[workers];
            for (int i = 0; i < workers; i++) {
                consumers[i] = labels.await(client.connection(), "worker " + i, Duration.ofSeconds(5));
            }
            for (long value : values) {
                long at;
                while ((at = producer.claim(8, consumers[Math.floorMod(value, workers)])) < 0) {
                    engine.progress();
                }
                producer.memory().set(JAVA_LONG_UNALIGNED, at, value);
                producer.commit();
            }
            finish(engine, producer);
        }
    }
    // @end

    private static void finish(ProgressEngine engine, SlotProducer producer) {
        while (!producer.flush() || producer.inFlight() > 0) {
            engine.progress();
        }
    }

    /** The sum of all that has arrived. */
    public long sum() {
        return sum.get();
    }

    // @start region="close"
    @Override
    public void close() {
        control.close();                    // the server, and with it what is on the workers' engines
        workers.forEach(EventLoop::close);
    }
    // @end
}
