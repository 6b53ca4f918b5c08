package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import examples.RelaySockets;
import io.github.comch4j.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sockets of java.net that are streams over Comch. */
@Timeout(120)
class SocketFactoryTest {
    private static final int PATIENCE = (int) Machine.PATIENCE.toMillis();

    static {
        Machine.useEmulation();
    }

    private final String name = Machine.uniqueName();
    private final ComchSocketFactory factory = new ComchSocketFactory(name + ",device=" + Machine.HOST);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private ServerSocket serve() throws IOException {
        ServerSocket server = new ComchServerSocketFactory(name).createServerSocket(0);
        opened.add(server);
        return server;
    }

    private Socket connect() throws IOException {
        Socket socket = factory.createSocket();
        opened.add(socket);
        socket.connect(InetSocketAddress.createUnresolved("the-dpu.invalid", 5432), PATIENCE);
        return socket;
    }

    private Socket accept(ServerSocket server) throws IOException {
        server.setSoTimeout(PATIENCE);
        Socket socket = server.accept();
        opened.add(socket);
        return socket;
    }

    @Test
    void theExampleAnswers() throws IOException {
        opened.add(RelaySockets.serve(name));
        for (int i = 0; i < 100; i++) {
            assertThat(RelaySockets.ask("comch:" + name, "question " + i)).isEqualTo("question " + i);
        }
    }

    @Test
    void eachDirectionEndsByItself() throws IOException {
        ServerSocket server = serve();
        Socket socket = connect();
        assertThat(socket.isConnected()).isTrue();
        Socket accepted = accept(server);
        assertThat(accepted.isConnected()).isTrue();
        byte[] sent = new byte[300_000];
        new Random(1).nextBytes(sent);
        Thread.startVirtualThread(() -> {
            try {
                socket.getOutputStream().write(sent);
                socket.shutdownOutput();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        byte[] got = accepted.getInputStream().readAllBytes();
        assertThat(Arrays.mismatch(got, sent)).isEqualTo(-1);
        accepted.getOutputStream().write("thanks".getBytes(StandardCharsets.UTF_8));
        accepted.close();
        assertThat(socket.getInputStream().readAllBytes()).asString().isEqualTo("thanks");
        assertThat(socket.isOutputShutdown()).isTrue();
        assertThatThrownBy(() -> socket.getOutputStream().write(1)).isInstanceOf(SocketException.class);
    }

    @Test
    void aReadEndsInItsTimeAndNothingIsLost() throws IOException {
        ServerSocket server = serve();
        Socket socket = connect();
        Socket accepted = accept(server);
        socket.setSoTimeout(20);
        assertThat(socket.getSoTimeout()).isEqualTo(20);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        accepted.getOutputStream().write(200);
        socket.setSoTimeout(PATIENCE);
        assertThat(in.read()).isEqualTo(200);
        accepted.shutdownOutput();
        assertThat(in.read()).isEqualTo(-1);
    }

    @Test
    void aCloseWakesWhoReads() throws Exception {
        serve();
        Socket socket = connect();
        LinkedBlockingQueue<Throwable> seen = new LinkedBlockingQueue<>();
        Thread reader = Thread.startVirtualThread(() -> {
            try {
                seen.add(new AssertionError("read " + socket.getInputStream().read()));
            } catch (IOException e) {
                seen.add(e);
            }
        });
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        socket.close();
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS))
                .isInstanceOf(SocketException.class)
                .hasMessage("Socket closed");
        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void aCloseEndsAnAttemptToConnect() throws Exception {
        Socket socket = factory.createSocket();
        LinkedBlockingQueue<Throwable> seen = new LinkedBlockingQueue<>();
        Thread connecting = Thread.startVirtualThread(() -> {
            try {
                socket.connect(new InetSocketAddress(0), PATIENCE);
            } catch (IOException e) {
                seen.add(e);
            }
        });
        while (connecting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        socket.close();
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).isInstanceOf(SocketException.class);
    }

    @Test
    void whoIsNotServedIsRefused() throws IOException {
        ComchSocketFactory brief = new ComchSocketFactory(name + ",wait=100");
        assertThatThrownBy(() -> brief.createSocket("localhost", 1))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("comch:" + name)
                .hasMessageContaining("no connection to the other side for 100 ms");
        Socket socket = factory.createSocket();
        assertThatThrownBy(() -> socket.connect(new InetSocketAddress(0), 100))
                .isInstanceOf(SocketTimeoutException.class);
        ServerSocket server = new ComchServerSocketFactory(name).createServerSocket(0, 1);
        opened.add(server);
        connect(); // waits to be accepted
        assertThatThrownBy(this::connect)
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("accepts no streams");
    }

    @Test
    void whatAStreamCannotHaveIsSaid() throws IOException {
        serve();
        assertThatThrownBy(() -> factory.createSocket("localhost", 1, InetAddress.getLoopbackAddress(), 0))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("no local address");
        Socket socket = connect();
        assertThatThrownBy(() -> socket.setTrafficClass(1))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("traffic class");
        assertThatThrownBy(() -> socket.setOOBInline(true)).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.sendUrgentData(1)).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.setOption(StandardSocketOptions.IP_TOS, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> new ComchServerSocketFactory(name).createServerSocket())
                .isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> new ComchServerSocketFactory(name).createServerSocket(0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("comch:" + name);
    }

    @Test
    void whatDriversWishIsAccepted() throws IOException {
        serve();
        Socket socket = factory.createSocket();
        opened.add(socket);
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.setReuseAddress(true);
        socket.setSendBufferSize(1000);
        socket.setReceiveBufferSize(2000);
        socket.connect(new InetSocketAddress("localhost", 1));
        assertThat(socket.getTcpNoDelay()).isTrue();
        assertThat(socket.getKeepAlive()).isTrue();
        assertThat(socket.getSoLinger()).isEqualTo(-1);
        assertThat(socket.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(2000);
        assertThat(socket.getPort()).isEqualTo(1);
        assertThat(socket.getLocalAddress()).isNotNull();
    }

    @Test
    void aLingerTimeOfZeroResets() throws IOException {
        ServerSocket server = serve();
        Socket socket = connect();
        Socket accepted = accept(server);
        socket.setSoLinger(true, 0);
        socket.close();
        accepted.setSoTimeout(PATIENCE);
        assertThatThrownBy(() -> accepted.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    @Test
    void acceptedSocketsGoOnWhenTheServerIsClosed() throws Exception {
        ServerSocket server = serve();
        Socket socket = connect();
        Socket accepted = accept(server);
        server.close();
        assertThatThrownBy(server::accept).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        socket.getOutputStream().write(1);
        assertThat(accepted.getInputStream().read()).isEqualTo(1);
    }

    @Test
    void aNameIsServedAgainAtOnce() throws Exception {
        for (int i = 0; i < 50; i++) {
            ServerSocket server = serve();
            if (i % 2 == 0) {
                connect().close();
                accept(server).close();
            }
            server.close();
        }
    }

    @Test
    void anAcceptEndsInItsTimeOrWithAClose() throws Exception {
        ServerSocket server = serve();
        server.setSoTimeout(20);
        assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        server.setSoTimeout(0);
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Thread waiting = Thread.startVirtualThread(() -> {
            try {
                server.accept();
            } catch (IOException e) {
                seen.add(e.getMessage());
            }
        });
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        server.close();
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo("Socket closed");
    }

    /** More of them wait at a time than there are carriers, on both sides: one that pinned its carrier would hang. */
    @Test
    void virtualThreadsWaitWithoutTheirCarriers() throws Exception {
        int many = 4 * Runtime.getRuntime().availableProcessors() + 20;
        opened.add(RelaySockets.serve(name));
        CountDownLatch ready = new CountDownLatch(many);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger answered = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                try (Socket socket = factory.createSocket("localhost", 1)) {
                    ready.countDown();
                    go.await();
                    socket.getOutputStream().write(7);
                    if (socket.getInputStream().read() == 7) {
                        answered.incrementAndGet();
                    }
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        assertThat(ready.await(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
        go.countDown();
        for (Thread thread : threads) {
            thread.join(PATIENCE);
        }
        assertThat(answered).hasValue(many);
    }

    @Test
    void tlsIsLayeredOnTop(@TempDir Path folder) throws Exception {
        SSLContext context = Certificates.context(folder);
        ServerSocket server = serve();
        LinkedBlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        Thread.startVirtualThread(() -> {
            try (SSLSocket accepted =
                    (SSLSocket) context.getSocketFactory().createSocket(server.accept(), null, true)) {
                accepted.getInputStream().transferTo(accepted.getOutputStream());
                seen.add(accepted.getSession().getProtocol());
            } catch (IOException e) {
                seen.add(e);
            }
        });
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(connect(), "localhost", 1, true)) {
            byte[] said = new byte[100_000];
            new Random(2).nextBytes(said);
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    socket.getOutputStream().write(said);
                    socket.shutdownOutput();
                } catch (IOException e) {
                    seen.add(e);
                }
            });
            byte[] got = socket.getInputStream().readNBytes(said.length);
            assertThat(Arrays.mismatch(got, said)).isEqualTo(-1);
            writer.join(PATIENCE);
        }
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo("TLSv1.3");
    }

    @Test
    void aServiceIsALineOfText() {
        assertThat(StreamAddress.parse("comch:redis,device=b1:00.1, function=b1:00.0,wait=5"))
                .isEqualTo(new StreamAddress(
                        "redis",
                        io.github.comch4j.core.PciAddress.of("b1:00.1"),
                        Machine.HOST,
                        java.time.Duration.ofMillis(5)));
        for (String wrong :
                List.of("", ",", "comch:", "a,wait=0", "a,wait=x", "a,device=7", "a,colour=red", "a,device")) {
            assertThatThrownBy(() -> new ComchSocketFactory(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(ComchSocketFactory::new)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NAME");
    }
}
