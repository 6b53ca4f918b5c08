package examples;

// @start region="program"
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.nio.charset.StandardCharsets;

/** On the DPU: sends each message back, and answers what comes on the fast path with its size. */
public final class EchoServer {
    public static void main(String[] arguments) {
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));             // the DPU's own device
             var representor = device.openRepresentor(PciAddress.of("0000:b1:00.0")); // the function to serve, as the host sees it
             var server = ComchServer.builder(engine, device, representor, arguments[0])
                     .onConnected(connection -> receive(connection, device))
                     .onMessage((connection, message) -> connection.enqueue(message))
                     .onDisconnected(connection -> connection.attachment(MemoryMap.class).close())
                     .start()) {
            System.out.println(server + " is ready");
            while (!Thread.interrupted()) {
                if (!engine.progress()) {      // all handlers run in here
                    Thread.onSpinWait();
                }
            }
        } // server and connections are closed, then the rest
    }

    /** Each connection has memory of its own, for 64 buffers, which are posted at once and again after each use. */
    private static void receive(ComchConnection connection, Device device) {
        MemoryMap memory = MemoryMap.allocate(device, 64 * 4096, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        connection.attach(memory);
        connection.consumer(connection.engine(), memory).buffers(64, 4096)
                .onReceive((consumer, buffer, producerId, immediate) ->
                        connection.enqueue((buffer.length() + " bytes").getBytes(StandardCharsets.UTF_8)))
                .start();
    }
}
// @end
