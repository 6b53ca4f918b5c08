package io.github.comch4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unix-domain sockets of the JDK under a name that both ends of a work know. */
final class UnixSockets {
    private static final long PATIENCE = 30_000_000_000L;

    private UnixSockets() {}

    private static Path path(Options options) {
        String user = ProcessHandle.current().info().user().orElse("any");
        return Path.of(
                System.getProperty("java.io.tmpdir"), options.name() + "-" + options.work() + "-" + user + ".sock");
    }

    /** A server that is to be {@linkplain #close closed}. */
    static ServerSocketChannel serve(Options options) throws IOException {
        Files.deleteIfExists(path(options));
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path(options)));
        return server;
    }

    /** Ends a server, and its name. */
    static void close(ServerSocketChannel server, Options options) throws IOException {
        server.close();
        Files.deleteIfExists(path(options));
    }

    /** The first client of a server that serves this one alone. */
    static SocketChannel accept(Options options) {
        try {
            ServerSocketChannel server = serve(options);
            try {
                return server.accept();
            } finally {
                close(server, options);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fills the buffer; false: the other end has gone. */
    static boolean read(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Writes all that remains in the buffer. */
    static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }

    /** Tries until there is a server. */
    static SocketChannel connect(Options options) {
        long deadline = System.nanoTime() + PATIENCE;
        while (true) {
            try {
                return SocketChannel.open(UnixDomainSocketAddress.of(path(options)));
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw new UncheckedIOException(e);
                }
                Thread.onSpinWait();
            }
        }
    }
}
