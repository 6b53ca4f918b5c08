package io.github.comch4j.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import javax.net.ServerSocketFactory;

/**
 * Makes server sockets on the DPU whose sockets are streams over Comch: of {@link ComchSocketFactory}, or of what
 * {@code comch relay} serves on the host. One at a time can serve a name; ports and addresses have no meaning.
 *
 * <p>A service is a line of text, {@code NAME[,device=ADDRESS][,function=ADDRESS]}: {@code device} is the DPU's own,
 * and {@code function} the host's that is served, the first ones unless they are said. When a server socket is closed
 * no streams come any more; those that were accepted go on, and nobody else can serve the name until they have ended.
 * All methods may be called from any thread, virtual ones too.
 */
public final class ComchServerSocketFactory extends ServerSocketFactory {
    private final StreamAddress service;

    /**
     * For a service.
     *
     * @param service as described above
     * @throws IllegalArgumentException if it is written differently
     */
    public ComchServerSocketFactory(String service) {
        this.service = StreamAddress.parse(service);
    }

    /**
     * Called by libraries that are configured with the name of this class.
     *
     * @return a factory for the service that the system property {@value ComchSocketFactory#SERVICE_PROPERTY} names;
     *     one whose methods throw a {@link SocketException} that says why, if it is not set, or written differently
     */
    public static ServerSocketFactory getDefault() {
        try {
            return new ComchServerSocketFactory(System.getProperty(ComchSocketFactory.SERVICE_PROPERTY, ""));
        } catch (IllegalArgumentException e) {
            return new NoService(ComchSocketFactory.SERVICE_PROPERTY + ": " + e.getMessage());
        }
    }

    /** Where no service is named. */
    private static final class NoService extends ServerSocketFactory {
        private final String why;

        NoService(String why) {
            this.why = why;
        }

        @Override
        public ServerSocket createServerSocket() throws SocketException {
            throw new SocketException(why);
        }

        @Override
        public ServerSocket createServerSocket(int port) throws SocketException {
            return createServerSocket();
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) throws SocketException {
            return createServerSocket();
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress local) throws SocketException {
            return createServerSocket();
        }
    }

    /**
     * Refused: a server socket over Comch is bound from its beginning.
     *
     * @return nothing
     * @throws SocketException always
     */
    @Override
    public ServerSocket createServerSocket() throws SocketException {
        throw new SocketException("a server socket over Comch is bound from its beginning: use createServerSocket(0)");
    }

    /**
     * Serves.
     *
     * @param port without meaning
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return new StreamServerSocket(service, 0);
    }

    /**
     * Serves.
     *
     * @param port without meaning
     * @param backlog how many streams may wait to be accepted; more are refused
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return new StreamServerSocket(service, backlog);
    }

    /**
     * Serves.
     *
     * @param port without meaning
     * @param backlog how many streams may wait to be accepted; more are refused
     * @param local without meaning
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress local) throws IOException {
        return new StreamServerSocket(service, backlog);
    }

    /**
     * For logs.
     *
     * @return the service
     */
    @Override
    public String toString() {
        return "server sockets of comch:" + service.service();
    }
}
