package examples;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Sends measurements to a server that may be slower than they come: then it gets the newest ones. */
public final class Telemetry implements AutoCloseable {
    private final ProgressEngine engine = ProgressEngine.create();
    private final ByteBuffer newest = ByteBuffer.allocate(8);
    private final ComchConnection connection;
    private boolean due; // the newest has not gone out
    private long replaced;

    // @start region="telemetry"
    public Telemetry(Device device, String server) {
        connection = ComchClient.builder(engine, device, server)
                .sendTasks(16)                          // so few are under way to a server that is behind
                .onWritable(room -> sendNewest())           // called when there is room again, and only then
                .connect(Duration.ofSeconds(5))
                .connection();
    }

    public void measured(long value) {
        newest.clear().putLong(value).flip();
        if (due) {
            replaced++;                                 // there is no room yet: nobody will miss the older one
        } else {
            due = true;
            sendNewest();
        }
        engine.progress();                              // runs onWritable when it is time
    }

    private void sendNewest() {
        if (due && connection.trySend(newest).accepted()) {
            due = false;
        }
    }
    // @end

    /** Measures so many times, and until the last value is with the server. Returns how many were replaced. */
    public long run(int times, LongSupplier meter) {
        for (int i = 0; i < times; i++) {
            measured(meter.getAsLong());
        }
        while (due || connection.endpoint().inFlight() > 0) {
            engine.progress();
        }
        return replaced;
    }

    @Override
    public void close() {
        engine.close();
    }
}
