package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that is interrupted at a socket finds what it would find at one of TCP. */
@Timeout(120)
class SocketInterruptsTest {
    private static final int MUCH = 16 << 20;
    private static final long MOMENT = 200;

    static {
        Machine.useEmulation();
    }

    /** Both ends of a connection, and where it was accepted. */
    private static final class Pair implements AutoCloseable {
        final ServerSocket server;
        final Socket near;
        final Socket far;

        private Pair(ServerSocket server, Socket near) throws IOException {
            this.server = server;
            this.near = near;
            this.far = server.accept();
        }

        static Pair of(boolean comch) throws IOException {
            if (comch) {
                String name = Machine.uniqueName();
                ServerSocket server = new ComchServerSocketFactory(name).createServerSocket(0);
                return new Pair(server, new ComchSocketFactory(name).createSocket("localhost", 1));
            }
            ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            return new Pair(server, new Socket(server.getInetAddress(), server.getLocalPort()));
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
            server.close();
        }
    }

    /** Something that waits at a socket. */
    private interface Act {
        String run() throws IOException;
    }

    private interface Closed {
        boolean asked();
    }

    /** Is interrupted while it waits, and then let go on. */
    private static String outcome(boolean virtual, Act act, Closed closed, Act help) throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        Runnable work = () -> {
            String what;
            try {
                what = act.run();
            } catch (IOException e) {
                what = e.getClass().getSimpleName() + ": " + e.getMessage();
            }
            result.complete(what + ", closed: " + closed.asked() + ", interrupted: "
                    + Thread.currentThread().isInterrupted());
        };
        Thread thread =
                virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work);
        Thread.sleep(MOMENT);
        assertThat(result).isNotDone();
        thread.interrupt();
        Thread.sleep(MOMENT);
        if (!result.isDone()) {
            help.run();
        }
        return result.get(Machine.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String reading(boolean comch, boolean virtual) throws Exception {
        try (Pair pair = Pair.of(comch)) {
            return outcome(virtual, () -> "read " + pair.near.getInputStream().read(), pair.near::isClosed, () -> {
                pair.far.getOutputStream().write(7);
                return "";
            });
        }
    }

    private static String accepting(boolean comch, boolean virtual) throws Exception {
        try (Pair pair = Pair.of(comch)) {
            pair.server.setSoTimeout(1000);
            return outcome(
                    virtual, () -> "accepted " + pair.server.accept(), pair.server::isClosed, () -> "its time ends it");
        }
    }

    private static String writing(boolean comch, boolean virtual) throws Exception {
        byte[] much = new byte[MUCH];
        for (int i = 0; i < MUCH; i += 4) {
            much[i] = (byte) (i >> 12);
        }
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        try (Pair pair = Pair.of(comch)) {
            CompletableFuture<Throwable> read = new CompletableFuture<>();
            CompletableFuture<Void> mayRead = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                mayRead.join();
                try {
                    pair.far.getInputStream().transferTo(got);
                    read.complete(null);
                } catch (IOException e) {
                    read.complete(e);
                }
            });
            String outcome = outcome(
                    virtual,
                    () -> {
                        pair.near.getOutputStream().write(much);
                        return "wrote all";
                    },
                    pair.near::isClosed,
                    () -> {
                        mayRead.complete(null);
                        return "";
                    });
            mayRead.complete(null);
            pair.near.close();
            Throwable end = read.get(Machine.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            byte[] bytes = got.toByteArray();
            assertThat(bytes.length).isLessThanOrEqualTo(MUCH);
            assertThat(java.util.Arrays.mismatch(bytes, 0, bytes.length, much, 0, bytes.length))
                    .isEqualTo(-1);
            if (comch && bytes.length < MUCH) {
                assertThat(end).as("what the reader sees of a part").isInstanceOf(SocketException.class);
            }
            return outcome + ", arrived: " + (bytes.length == MUCH);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readingIsAsWithTcp(boolean virtual) throws Exception {
        assertThat(reading(true, virtual)).isEqualTo(reading(false, virtual));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writingIsAsWithTcpAndNeverLeavesAHole(boolean virtual) throws Exception {
        assertThat(writing(true, virtual)).isEqualTo(writing(false, virtual));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acceptingIsAsWithTcp(boolean virtual) throws Exception {
        assertThat(accepting(true, virtual)).isEqualTo(accepting(false, virtual));
    }

    private static String connecting(boolean virtual) throws Exception {
        Socket socket = new ComchSocketFactory(Machine.uniqueName()).createSocket();
        return outcome(
                virtual,
                () -> {
                    socket.connect(new InetSocketAddress("localhost", 1), 1500);
                    return "connected";
                },
                socket::isClosed,
                () -> "its time ends it");
    }

    @Test
    void connectingGoesOnOrClosesTheSocketOfAVirtualThread() throws Exception {
        assertThat(connecting(false)).startsWith("SocketTimeoutException: ").endsWith("interrupted: true");
        assertThat(connecting(true)).isEqualTo("SocketException: Closed by interrupt, closed: true, interrupted: true");
    }
}
