package io.github.comch4j.net;

import io.github.comch4j.streams.BlockingStream;
import io.github.comch4j.streams.SocketWaits;
import io.github.comch4j.streams.StreamRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a {@link StreamSocket} does; {@link java.net.Socket} checks in which state what may be called. */
final class StreamSocketImpl extends SocketImpl {
    private static final String CLOSED = "Socket closed";

    private final StreamAddress service;
    private final Map<Integer, Object> options = new ConcurrentHashMap<>(); // as they were set
    private volatile @Nullable BlockingStream stream;
    private volatile @Nullable CompletableFuture<BlockingStream> connecting;
    private volatile int timeout; // of reads, milliseconds; 0: none
    private volatile boolean closed;

    /** Of a socket that is not connected. */
    StreamSocketImpl(StreamAddress service) {
        this.service = service;
    }

    /** Of one that a server has accepted. */
    StreamSocketImpl(StreamAddress service, BlockingStream stream) {
        this.service = service;
        this.stream = stream;
    }

    String describe() {
        return "comch:" + service.service();
    }

    private BlockingStream connected() throws SocketException {
        BlockingStream there = stream;
        if (there == null) {
            throw new SocketException(closed ? CLOSED : "Socket is not connected");
        }
        return there;
    }

    @Override
    protected void create(boolean streaming) throws SocketException {
        if (!streaming) {
            throw new SocketException("a stream over Comch is not a datagram socket");
        }
    }

    @Override
    protected void connect(String host, int toPort) throws IOException {
        connect(new InetSocketAddress(host, toPort), 0);
    }

    @Override
    protected void connect(InetAddress host, int toPort) throws IOException {
        connect(new InetSocketAddress(host, toPort), 0);
    }

    /** Whatever the address is: the service is what the factory was told. */
    @Override
    protected void connect(SocketAddress target, int milliseconds) throws IOException {
        if (target instanceof InetSocketAddress internet) {
            address = internet.getAddress();
            port = internet.getPort();
        }
        if (stream == null) {
            stream = open(milliseconds);
            if (closed) {
                close(); // by another thread, meanwhile
                throw new SocketException(CLOSED);
            }
        }
    }

    private BlockingStream open(int milliseconds) throws IOException {
        Duration patience = milliseconds == 0 ? service.patience() : Duration.ofMillis(milliseconds);
        CompletableFuture<BlockingStream> opening = SharedConnections.open(service.server(), patience);
        connecting = opening;
        try {
            if (closed) {
                opening.cancel(false);
                throw new SocketException(CLOSED);
            }
            return SocketWaits.await(opening, patience.toNanos() + TimeUnit.SECONDS.toNanos(5));
        } catch (ExecutionException e) {
            throw refused(e.getCause(), milliseconds);
        } catch (java.util.concurrent.CancellationException e) {
            throw new SocketException(CLOSED, e);
        } catch (java.util.concurrent.TimeoutException e) {
            opening.cancel(false);
            throw new SocketTimeoutException("Connect timed out: " + describe());
        } catch (InterruptedIOException e) {
            close();
            throw new SocketException("Closed by interrupt", e);
        } finally {
            connecting = null;
        }
    }

    private IOException refused(Throwable cause, int milliseconds) {
        String why = describe() + ": " + cause.getMessage();
        boolean late = cause instanceof StreamRefusedException refusal
                && refusal.status() == StreamRefusedException.NO_CONNECTION;
        IOException failure = late && milliseconds > 0
                ? new SocketTimeoutException("Connect timed out: " + why)
                : new ConnectException("Connection refused: " + why);
        failure.initCause(cause);
        return failure;
    }

    @Override
    protected void bind(InetAddress host, int toPort) throws IOException {
        throw new SocketException("a stream over Comch has no local address to bind to");
    }

    @Override
    protected void listen(int backlog) throws IOException {
        throw new SocketException("streams over Comch are accepted by a socket of ComchServerSocketFactory");
    }

    @Override
    protected void accept(SocketImpl accepted) throws IOException {
        throw new SocketException("streams over Comch are accepted by a socket of ComchServerSocketFactory");
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        return new Input(connected());
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        return new Output(connected());
    }

    @Override
    protected int available() throws IOException {
        return connected().available();
    }

    @Override
    protected void close() {
        closed = true;
        CompletableFuture<BlockingStream> opening = connecting;
        if (opening != null) {
            opening.cancel(false);
        }
        BlockingStream there = stream;
        if (there != null) {
            if (Objects.equals(options.get(SocketOptions.SO_LINGER), 0)) {
                there.reset(); // as TCP does
            } else {
                there.close();
            }
        }
    }

    @Override
    protected void shutdownInput() throws IOException {
        connected().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        connected().shutdownOutput();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw new SocketException("a stream over Comch has no urgent data");
    }

    /** Drivers set what they know of TCP: what is so in any case, or only a wish, is accepted. */
    @Override
    public void setOption(int option, Object value) throws SocketException {
        switch (option) {
            case SO_TIMEOUT -> timeout = (Integer) value;
            case TCP_NODELAY, SO_KEEPALIVE, SO_REUSEADDR, SO_REUSEPORT, SO_LINGER, SO_SNDBUF, SO_RCVBUF ->
                options.put(option, value);
            default -> throw unsupported(option);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        return switch (option) {
            case SO_TIMEOUT -> timeout;
            case SO_BINDADDR -> InetAddress.getLoopbackAddress();
            case TCP_NODELAY -> options.getOrDefault(option, true);
            case SO_KEEPALIVE, SO_REUSEADDR, SO_REUSEPORT -> options.getOrDefault(option, false);
            case SO_LINGER -> options.getOrDefault(option, -1);
            case SO_SNDBUF, SO_RCVBUF -> options.getOrDefault(option, BlockingStream.MOST);
            default -> throw unsupported(option);
        };
    }

    private static SocketException unsupported(int option) {
        String name = switch (option) {
            case IP_TOS -> "a traffic class, which only IP has";
            case SO_OOBINLINE -> "urgent data";
            case SO_BROADCAST, IP_MULTICAST_IF, IP_MULTICAST_IF2, IP_MULTICAST_LOOP -> "what datagrams have";
            default -> "the socket option " + option;
        };
        return new SocketException("a stream over Comch does not have " + name);
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        setOption(number(option), value);
    }

    @Override
    @SuppressWarnings("unchecked")
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return (T) getOption(number(option));
    }

    private static final Map<SocketOption<?>, Integer> NUMBERS = Map.of(
            StandardSocketOptions.TCP_NODELAY, TCP_NODELAY,
            StandardSocketOptions.SO_KEEPALIVE, SO_KEEPALIVE,
            StandardSocketOptions.SO_REUSEADDR, SO_REUSEADDR,
            StandardSocketOptions.SO_LINGER, SO_LINGER,
            StandardSocketOptions.SO_SNDBUF, SO_SNDBUF,
            StandardSocketOptions.SO_RCVBUF, SO_RCVBUF);

    private static int number(SocketOption<?> option) {
        Integer number = NUMBERS.get(option);
        if (number == null) {
            throw new UnsupportedOperationException("a stream over Comch does not have " + option.name());
        }
        return number;
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return NUMBERS.keySet();
    }

    private final class Input extends InputStream {
        private final BlockingStream from;

        Input(BlockingStream from) {
            this.from = from;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            return length == 0 ? 0 : from.read(bytes, offset, length, TimeUnit.MILLISECONDS.toNanos(timeout));
        }

        @Override
        public int available() {
            return from.available();
        }

        @Override
        public void close() {
            StreamSocketImpl.this.close();
        }
    }

    private final class Output extends OutputStream {
        private final BlockingStream to;

        Output(BlockingStream to) {
            this.to = to;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            to.write(bytes, offset, length);
        }

        @Override
        public void close() {
            StreamSocketImpl.this.close();
        }
    }
}
