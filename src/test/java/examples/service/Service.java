package examples.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.*;
import io.github.comch4j.micrometer.ComchMetrics;
import io.github.comch4j.rpc.RpcServer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.time.Duration;

/** On the DPU: {@code Service FOLDER} keeps totals in FOLDER/journal; FOLDER/ready is there while it takes calls. */
public class Service {
    static final String NAME = "totals";
    static final int ADD = 1;
    static final int READ = 2;
    static final int HEALTH = 3;

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Path ready = folder.resolve("ready");
        Files.deleteIfExists(ready); // of one that was killed
        var registry = new SimpleMeterRegistry(); // in production that of Prometheus, OTLP, ...
        new ComchMetrics().bindTo(registry);
        Timer fsync = registry.timer("journal.fsync");
        var journal = new Journal(folder.resolve("journal"), fsync);
        Thread.ofPlatform().daemon().name("journal").start(journal);
        var loop = EventLoop.start("service");
        var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
        var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
        var server = RpcServer.builder(loop, device, function, NAME)
                .asyncMethod(ADD, request -> {
                    ByteBuffer body = ByteBuffer.wrap(request.body());
                    return journal.add(body.getLong(), body.getLong(), body.getLong(), body.getLong());
                })
                .asyncMethod(READ, request -> journal.read(
                        ByteBuffer.wrap(request.body()).getLong(), // answered a second before the caller gives up
                        () -> request.isWanted() && request.remaining().toMillis() > 1000))
                .method(HEALTH, request -> ((journal.isHealthy() ? "healthy, " : "the disk hangs, ")
                        + journal.sequence() + " changes, " + fsync.count() + " fsyncs").getBytes(UTF_8))
                .maxInFlight(256) // of each client; more are refused as BUSY
                .disconnectIfStalled(Duration.ofSeconds(30)) // a client that takes no answers
                .start(Duration.ofSeconds(30)); // the predecessor may still have the name
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { // SIGTERM
            ready.toFile().delete(); // nobody new is sent here
            journal.drain(); // subscribers' calls end now
            server.shutdown(); // clients send no more, and wait for the next server
            if (!server.awaitTermination(Duration.ofSeconds(5))) {
                System.err.println("some calls are given up: " + server);
            }
            server.close();
        }));
        Files.writeString(ready, Long.toString(ProcessHandle.current().pid()));
        System.out.println("ready with " + journal.sequence() + " changes");
        Thread.currentThread().join();
    }
}
