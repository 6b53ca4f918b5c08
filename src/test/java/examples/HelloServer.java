package examples;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;

/** On the DPU: sends each message back. */
public class HelloServer {
    public static void main(String[] args) {
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));          // the DPU's own device
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0")); // whom it serves: a function of the host
             var server = ComchServer.builder(engine, device, function, args[0])
                     .onMessage((connection, message) -> connection.enqueue(message))
                     .start()) {
            System.out.println(server + " is ready");
            while (!Thread.interrupted()) {
                if (!engine.progress()) { // handlers run in here
                    Thread.onSpinWait();
                }
            }
        }
    }
}
