package examples;

import io.github.comch4j.net.ComchServerSocketFactory;
import io.github.comch4j.net.ComchSocketFactory;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sockets of java.net over Comch: a program on the DPU that sends back what it gets, and one on the host. */
public final class RelaySockets {
    private RelaySockets() {}

    /** On the host. */
    public static String ask(String service, String question) throws IOException {
        // @start region="client"
        var factory = new ComchSocketFactory(service);
        try (Socket socket = factory.createSocket("localhost", 0)) {
            socket.getOutputStream().write(question.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        // @end
    }

    /** On the DPU. */
    public static ServerSocket serve(String service) throws IOException {
        // @start region="server"
        ServerSocket server = new ComchServerSocketFactory(service).createServerSocket(0);
        Thread.startVirtualThread(() -> {
            while (!server.isClosed()) {
                try {
                    Socket accepted = server.accept();
                    Thread.startVirtualThread(() -> sendBack(accepted));
                } catch (IOException e) {
                    return; // closed
                }
            }
        });
        return server;
        // @end
    }

    private static void sendBack(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            System.err.println(socket + ": " + e.getMessage());
        }
    }
}
