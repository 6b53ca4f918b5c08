package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** On the DPU: posts four buffers of 1 MiB for each client, and answers what arrives with its sum. */
public class BufferServer {
    static final int SIZE = 1 << 20;

    public static void main(String[] args) {
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = ComchServer.builder(engine, device, function, args[0])
                     .onConnected(connection -> receive(connection, device))
                     .onDisconnected(connection -> connection.attachment(MemoryMap.class).close())
                     .start()) {
            System.out.println(server + " is ready");
            while (!Thread.interrupted()) {
                if (!engine.progress()) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static void receive(ComchConnection connection, Device device) {
        var memory = MemoryMap.allocate(device, 4L * SIZE, Access.PCI_READ_WRITE);
        connection.attach(memory);                  // to be closed when the connection has ended
        connection.consumer(connection.engine(), memory)
                .buffers(4, SIZE)                   // posted at once, and again after each use
                .onReceive((consumer, buffer, producer, immediate) -> {
                    long sum = sum(buffer.data());  // read where it arrived
                    connection.enqueue((buffer.length() + " bytes, sum " + sum).getBytes(UTF_8));
                })
                .start();
    }

    private static long sum(MemorySegment data) {
        long sum = 0;
        for (long at = 0; at < data.byteSize(); at += 8) {
            sum += data.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        return sum;
    }
}
