package examples;

import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;

/** On the DPU: a virtual thread for each client, an orderly end with SIGTERM. The server's name is the argument. */
public final class ManyClients {
    private ManyClients() {}

    public static void main(String[] arguments) {
        // @start region="many"
        try (var loop = EventLoop.start("comch");
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var representor = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = MessageServerSocket.builder(loop, device, representor, arguments[0])
                     .sendTasks(1024)                    // of all clients together
                     .receiveLimit(256 * 1024)           // of each: then that client waits
                     .open()) {
            closeAtExit(server);
            while (true) {
                MessageSocket client = server.accept(Duration.ofDays(1));
                if (client != null) {
                    Thread.startVirtualThread(() -> serve(client));
                }
            }
        } catch (IllegalStateException e) {
            System.out.println("no more clients: " + e.getMessage());
        }
        // @end
    }

    // @start region="serve"
    private static void serve(MessageSocket client) {
        try (client) {
            while (true) {
                byte[] message = client.receive(Duration.ofDays(1));
                if (message != null) {
                    client.send(message, Duration.ofMinutes(1)); // waits while the client does not read
                }
            }
        } catch (ConnectionClosedException e) {
            // the client has gone
        }
    }
    // @end

    // @start region="hook"
    private static void closeAtExit(MessageServerSocket server) {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.close();                              // clients learn of it now, and accept() ends
            try {
                main.join(Duration.ofSeconds(5));        // main closes the loop and the device
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }
    // @end
}
