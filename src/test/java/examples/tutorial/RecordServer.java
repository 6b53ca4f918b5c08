package examples.tutorial;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.io.RecordReader;

/** On the DPU: adds up the prices that come as records. */
public class RecordServer {
    static final int PRICE = 1, END = 2; // types of records

    public static void main(String[] args) {
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = ComchServer.builder(engine, device, function, args[0])
                     .onConnected(RecordServer::receive)
                     .start()) {
            System.out.println(server + " is ready");
            while (!Thread.interrupted()) {
                if (engine.progress(64) == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static void receive(ComchConnection connection) {
        long[] total = new long[2];
        var reader = new RecordReader((memory, offset, length, type, producer) -> {
            if (type == PRICE) {
                total[0]++;
                total[1] += memory.get(JAVA_LONG, offset);
            } else if (type == END) {
                connection.enqueue((total[0] + " records, sum " + total[1]).getBytes(UTF_8));
            }
        });
        connection.slotConsumer(connection.engine(), 8192) // 8 KiB: some 500 of these records in a message
                .tasks(64)                                 // messages that may be on their way
                .onMessage(reader)
                .start();
    }
}
