package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Relays, each a process of its own, and a target of this one. */
abstract class RelayProcesses {
    static final int PATIENCE_MILLIS = 60_000;
    static final Pattern LISTENS = Pattern.compile("listens at /127.0.0.1:(\\d+)");

    @RegisterExtension
    final ChildVms children = new ChildVms();

    final String name = Machine.uniqueName();
    ServerSocket target;

    @TempDir
    Path folder;

    /** What the target does with a connection. */
    interface Service {
        void serve(Socket socket) throws IOException;
    }

    @BeforeEach
    void openTarget() throws IOException {
        target = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void closeTarget() throws IOException {
        target.close();
    }

    void serve(Service service) {
        Thread.startVirtualThread(() -> {
            try {
                for (; ; ) {
                    Socket socket = target.accept();
                    Thread.startVirtualThread(() -> {
                        try (socket) {
                            service.serve(socket);
                        } catch (IOException e) {
                            // the client has gone
                        }
                    });
                }
            } catch (IOException e) {
                // the end of the test
            }
        });
    }

    ChildVm start(String side, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("relay", "-v", "-W", "60"));
        all.addAll(List.of(arguments));
        return children.start(folder, Map.of("DOCA_EMU_SIDE", side), Comch.class, all.toArray(new String[0]));
    }

    String to() {
        return "tcp:" + target.getLocalPort();
    }

    String comch() {
        return "comch:" + name;
    }

    String unix() {
        return "unix:" + path();
    }

    Path path() {
        return folder.resolve("service");
    }

    static int port(ChildVm relay) throws Exception {
        Matcher listens =
                LISTENS.matcher(relay.awaitError("listens at /127.0.0.1:").err());
        assertThat(listens.find()).isTrue();
        return Integer.parseInt(listens.group(1));
    }

    static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    SocketChannel connect(ChildVm relay) throws Exception {
        relay.awaitError("listens at");
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(path()));
        return channel;
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Sends all back after the end of it. */
    static void afterwards(Socket socket) throws IOException {
        socket.getOutputStream().write(socket.getInputStream().readAllBytes());
    }

    static void echo(Socket socket) throws IOException {
        socket.getInputStream().transferTo(socket.getOutputStream());
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    static boolean installed(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
