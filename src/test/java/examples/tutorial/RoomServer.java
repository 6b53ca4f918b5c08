package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** On the DPU: a room. What one client says, all others hear. */
public class RoomServer {
    public static void main(String[] args) {
        var visitors = new AtomicInteger();
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = ComchServer.builder(engine, device, function, args[0])
                     .onConnected(connection -> connection.attach("visitor " + visitors.incrementAndGet()))
                     .onMessage(RoomServer::tellTheOthers)
                     .onDisconnected(connection -> System.out.println(connection.attachment() + " has left"))
                     .start()) {
            System.out.println(server + " is ready");
            while (!Thread.interrupted()) {
                if (!engine.progress()) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static void tellTheOthers(ComchConnection from, MemorySegment message) {
        String text = from.attachment() + ": " + UTF_8.decode(message.asByteBuffer());
        for (ComchConnection to : ((ComchServer) from.endpoint()).connections()) {
            if (to != from && !to.trySend(text.getBytes(UTF_8)).accepted()) {
                System.out.println(to.attachment() + " does not read, and misses this"); // the others need not wait for it
            }
        }
    }
}
