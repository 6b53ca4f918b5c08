package io.github.comch4j.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;

/**
 * Makes sockets that are streams over Comch, from the host to a service that {@code comch relay} or a Java program
 * ({@link ComchServerSocketFactory}) serves on the DPU. Whatever host and port a socket is connected to, it goes to the
 * factory's service.
 *
 * <p>A service is a line of text, so that drivers which only take the name of a class and a string can have one:
 *
 * <pre>NAME[,device=0000:b1:00.0][,wait=10000]</pre>
 *
 * <p>{@code NAME} is the service, {@code device} the host's function (the first one, unless it is said), and
 * {@code wait} how many milliseconds a socket that was given no time waits for its connection. For example
 * {@code jdbc:postgresql:///db?socketFactory=io.github.comch4j.net.ComchSocketFactory&socketFactoryArg=postgres}.
 *
 * <p>The sockets are as those of TCP: each direction ends by itself, a read can have a time limit, another thread may
 * close, TLS is layered on top by {@link javax.net.ssl.SSLSocketFactory#createSocket(Socket, String, int, boolean)}. A
 * socket with a linger time of 0 is reset when it is closed. What only TCP has and is a wish, such as
 * {@link Socket#setTcpNoDelay}, is accepted without an effect; what a stream over Comch cannot have (a local address,
 * urgent data, a traffic class) throws a {@link SocketException} that says so. All methods may be called from any
 * thread, virtual ones too.
 */
public final class ComchSocketFactory extends SocketFactory {
    /** The system property with the service of a factory that is not told one, also of {@link #getDefault()}. */
    public static final String SERVICE_PROPERTY = "comch4j.relay.service";

    private final StreamAddress service;

    /**
     * To the service that the system property {@value #SERVICE_PROPERTY} names.
     *
     * @throws IllegalArgumentException if it is not set, or written differently
     */
    public ComchSocketFactory() {
        this(System.getProperty(SERVICE_PROPERTY, ""));
    }

    /**
     * To a service.
     *
     * @param service as described above; {@code comch:NAME} is the same as {@code NAME}
     * @throws IllegalArgumentException if it is written differently
     */
    public ComchSocketFactory(String service) {
        this.service = StreamAddress.parse(service);
    }

    /**
     * Called by libraries that are configured with the name of this class, such as JNDI and Jakarta Mail.
     *
     * @return a factory to the service that the system property {@value #SERVICE_PROPERTY} names; one whose methods
     *     throw a {@link SocketException} that says why, if it is not set, or written differently
     */
    public static SocketFactory getDefault() {
        try {
            return new ComchSocketFactory();
        } catch (IllegalArgumentException e) {
            return new NoService(SERVICE_PROPERTY + ": " + e.getMessage());
        }
    }

    /** Where no service is named. */
    private static final class NoService extends SocketFactory {
        private final String why;

        NoService(String why) {
            this.why = why;
        }

        @Override
        public Socket createSocket() throws SocketException {
            throw new SocketException(why);
        }

        @Override
        public Socket createSocket(String host, int port) throws SocketException {
            return createSocket();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws SocketException {
            return createSocket();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws SocketException {
            return createSocket();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
                throws SocketException {
            return createSocket();
        }
    }

    /**
     * A socket that is not connected yet.
     *
     * @return the socket
     * @throws SocketException never
     */
    @Override
    public Socket createSocket() throws SocketException {
        return StreamSocket.to(service);
    }

    /**
     * A connected socket.
     *
     * @param host is what {@link Socket#getInetAddress} answers, if it is known here, and else without meaning
     * @param port as {@code host}
     * @return the socket
     * @throws IOException if the service cannot be reached
     */
    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    /**
     * A connected socket.
     *
     * @param host as of {@link #createSocket(String, int)}
     * @param port as {@code host}
     * @return the socket
     * @throws IOException if the service cannot be reached
     */
    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    /**
     * Refused, unless the local address is null.
     *
     * @param host as of {@link #createSocket(String, int)}
     * @param port as {@code host}
     * @param localHost null
     * @param localPort without meaning
     * @return the socket
     * @throws IOException if there is a local address, or the service cannot be reached
     */
    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        checkNoLocal(localHost);
        return createSocket(host, port);
    }

    /**
     * Refused, unless the local address is null.
     *
     * @param address as {@code host} of {@link #createSocket(String, int)}
     * @param port as {@code address}
     * @param localAddress null
     * @param localPort without meaning
     * @return the socket
     * @throws IOException if there is a local address, or the service cannot be reached
     */
    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        checkNoLocal(localAddress);
        return createSocket(address, port);
    }

    @SuppressWarnings("DataFlowIssue") // callers of javax.net may have none
    private static void checkNoLocal(InetAddress local) throws SocketException {
        if (local != null) {
            throw new SocketException("a stream over Comch has no local address to bind to");
        }
    }

    private Socket connected(InetSocketAddress target) throws IOException {
        Socket socket = createSocket();
        try {
            socket.connect(target);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * For logs.
     *
     * @return the service
     */
    @Override
    public String toString() {
        return "sockets to comch:" + service.service();
    }
}
