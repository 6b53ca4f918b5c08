package io.github.comch4j.net;

import io.github.comch4j.streams.BlockingStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;

/** A socket that is a stream over Comch. */
final class StreamSocket extends Socket {
    private final StreamSocketImpl stream;

    private StreamSocket(StreamSocketImpl stream) throws SocketException {
        super(stream);
        this.stream = stream;
    }

    /** One that is not connected yet. */
    static StreamSocket to(StreamAddress service) throws SocketException {
        return new StreamSocket(new StreamSocketImpl(service));
    }

    /** One that a server has accepted. */
    static StreamSocket accepted(StreamAddress service, BlockingStream stream) throws IOException {
        StreamSocket socket = new StreamSocket(new StreamSocketImpl(service, stream));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        return socket;
    }

    /** {@link Socket} connects to nothing but addresses of IP; what the address is makes no difference. */
    @Override
    public void connect(SocketAddress target, int milliseconds) throws IOException {
        boolean resolved = target instanceof InetSocketAddress internet && !internet.isUnresolved();
        int port = target instanceof InetSocketAddress internet ? internet.getPort() : 0;
        super.connect(resolved ? target : new InetSocketAddress(InetAddress.getLoopbackAddress(), port), milliseconds);
    }

    @Override
    public String toString() {
        return "Socket[" + stream.describe() + (isConnected() ? "" : ", unconnected") + "]";
    }
}
