package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.net.ComchServerSocketFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;

/** A server of {@link SocketWaitersIT}: sends back what comes on sockets of java.net. */
final class EchoSockets {
    private EchoSockets() {}

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        ServerSocket server = serve(arguments[0]);
        System.out.println("serving");
        while (true) {
            Socket socket = server.accept();
            Thread.ofPlatform().start(() -> {
                try (socket) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                } catch (IOException e) {
                    // the peer has reset it
                }
            });
        }
    }

    /** The name may be the predecessor's still. */
    private static ServerSocket serve(String name) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try {
                return new ComchServerSocketFactory(name).createServerSocket(0);
            } catch (BindException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
    }
}
