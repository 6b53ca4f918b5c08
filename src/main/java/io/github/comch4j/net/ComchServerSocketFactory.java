package io.github.comch4j.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import javax.net.ServerSocketFactory;

/**
 * Creates server sockets on the DPU that accept streams over Comch. The streams come from sockets of
 * {@link ComchSocketFactory}, or from clients that {@code comch relay} serves on the host. One server socket at a time
 * can serve a name. Ports and addresses have no meaning.
 *
 * <p>A service is a line of text, {@code NAME[,device=ADDRESS][,function=ADDRESS]}. The {@code device} is the DPU's
 * own, and {@code function} is the host's function to serve; the default is the first one of each. After a server
 * socket is closed, it accepts no more streams. Accepted streams continue, and no other server can use the name until
 * they have ended. Any thread may call all methods, including virtual threads.
 */
public final class ComchServerSocketFactory extends ServerSocketFactory {
    private final StreamAddress service;

    /**
     * Creates a factory for a service.
     *
     * @param service the service, in the format described above
     * @throws IllegalArgumentException if the format is wrong
     */
    public ComchServerSocketFactory(String service) {
        this.service = StreamAddress.parse(service);
    }

    /**
     * Returns the default factory. Libraries that are configured with the name of this class call this method.
     *
     * @return a factory for the service that the system property {@value ComchSocketFactory#SERVICE_PROPERTY} names; if
     *     the property is not set or its format is wrong, a factory whose methods throw a {@link SocketException} with
     *     the reason
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
     * Always throws an exception, because a server socket over Comch is bound from the beginning.
     *
     * @return nothing
     * @throws SocketException always
     */
    @Override
    public ServerSocket createServerSocket() throws SocketException {
        throw new SocketException("a server socket over Comch must be created bound: use createServerSocket(0)");
    }

    /**
     * Creates a server socket for the service.
     *
     * @param port ignored
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return new StreamServerSocket(service, 0);
    }

    /**
     * Creates a server socket for the service, with a limit on waiting streams.
     *
     * @param port ignored
     * @param backlog how many streams can wait to be accepted; the socket refuses more
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return new StreamServerSocket(service, backlog);
    }

    /**
     * Creates a server socket for the service, with a limit on waiting streams.
     *
     * @param port ignored
     * @param backlog how many streams can wait to be accepted; the socket refuses more
     * @param local ignored
     * @return the socket
     * @throws IOException if the service cannot be served
     */
    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress local) throws IOException {
        return new StreamServerSocket(service, backlog);
    }

    /**
     * Returns a description of this factory, for logs.
     *
     * @return the service
     */
    @Override
    public String toString() {
        return "server sockets of comch:" + service.service();
    }
}
