package io.github.comch4j.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;

/**
 * Creates sockets that are streams over Comch, from the host to a service on the DPU. Either {@code comch relay} or a
 * Java program ({@link ComchServerSocketFactory}) serves it. A socket always connects to the factory's service,
 * whatever host and port the program gives it.
 *
 * <p>A service is a line of text, so that you can also use it with drivers that take only the name of a class and a
 * string:
 *
 * <pre>NAME[,device=0000:b1:00.0][,wait=10000]</pre>
 *
 * <p>{@code NAME} is the service. {@code device} is the host's function; the default is the first one. {@code wait} is
 * how many milliseconds a socket without a connect timeout waits for its connection. For example
 * {@code jdbc:postgresql:///db?socketFactory=io.github.comch4j.net.ComchSocketFactory&socketFactoryArg=postgres}.
 *
 * <p>The sockets behave like those of TCP: each direction ends by itself, a read can have a timeout, and another thread
 * may close the socket. {@link javax.net.ssl.SSLSocketFactory#createSocket(Socket, String, int, boolean)} adds TLS on
 * top. Closing a socket with a linger time of 0 resets it. Hints that only TCP has, such as
 * {@link Socket#setTcpNoDelay}, are accepted without an effect. Features that a stream over Comch cannot have (a local
 * address, urgent data, a traffic class) throw a {@link SocketException} that names the reason. Any thread may call all
 * methods, including virtual threads.
 */
public final class ComchSocketFactory extends SocketFactory {
    /** The system property that names the service of a factory created without one, including {@link #getDefault()}. */
    public static final String SERVICE_PROPERTY = "comch4j.relay.service";

    private final StreamAddress service;

    /**
     * Creates a factory for the service that the system property {@value #SERVICE_PROPERTY} names.
     *
     * @throws IllegalArgumentException if the property is not set or its format is wrong
     */
    public ComchSocketFactory() {
        this(System.getProperty(SERVICE_PROPERTY, ""));
    }

    /**
     * Creates a factory for a service.
     *
     * @param service the service, in the format described above; {@code comch:NAME} is the same as {@code NAME}
     * @throws IllegalArgumentException if the format is wrong
     */
    public ComchSocketFactory(String service) {
        this.service = StreamAddress.parse(service);
    }

    /**
     * Returns the default factory. Libraries that are configured with the name of this class, such as JNDI and Jakarta
     * Mail, call this method.
     *
     * @return a factory for the service that the system property {@value #SERVICE_PROPERTY} names; if the property is
     *     not set or its format is wrong, a factory whose methods throw a {@link SocketException} with the reason
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
     * Creates a socket that is not connected yet.
     *
     * @return the socket
     * @throws SocketException never
     */
    @Override
    public Socket createSocket() throws SocketException {
        return StreamSocket.to(service);
    }

    /**
     * Creates a connected socket.
     *
     * @param host the host that {@link Socket#getInetAddress} returns, if its address is known here; otherwise ignored
     * @param port the port that {@link Socket#getPort} returns; otherwise ignored
     * @return the socket
     * @throws IOException if the service cannot be reached
     */
    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    /**
     * Creates a connected socket.
     *
     * @param host as in {@link #createSocket(String, int)}
     * @param port as in {@code host}
     * @return the socket
     * @throws IOException if the service cannot be reached
     */
    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    /**
     * Creates a connected socket, or throws an exception if there is a local address.
     *
     * @param host as in {@link #createSocket(String, int)}
     * @param port as in {@code host}
     * @param localHost must be null
     * @param localPort ignored
     * @return the socket
     * @throws IOException if there is a local address, or the service cannot be reached
     */
    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        checkNoLocal(localHost);
        return createSocket(host, port);
    }

    /**
     * Creates a connected socket, or throws an exception if there is a local address.
     *
     * @param address as {@code host} in {@link #createSocket(String, int)}
     * @param port as in {@code address}
     * @param localAddress must be null
     * @param localPort ignored
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
     * Returns a description of this factory, for logs.
     *
     * @return the service
     */
    @Override
    public String toString() {
        return "sockets to comch:" + service.service();
    }
}
