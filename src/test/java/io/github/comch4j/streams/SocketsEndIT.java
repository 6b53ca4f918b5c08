package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.net.ComchServerSocketFactory;
import io.github.comch4j.net.ComchSocketFactory;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How connections end that sockets of java.net have used: some time after the last of them, or with the process. */
@Timeout(180)
class SocketsEndIT extends RelayScene {
    private static final int LENGTH = 200_000; // what a stream can have under way, without anybody who reads

    private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    @TempDir
    private Path folder;

    private final ConnectionWatch watch = new ConnectionWatch() {
        @Override
        public void ready(Channel connection) {
            seen.add("ready");
        }

        @Override
        public void ended(Channel connection, @Nullable Throwable why) {
            seen.add("ended" + (why == null ? "" : ": " + why.getMessage()));
        }
    };

    private String next() throws InterruptedException {
        return seen.poll(PATIENCE, TimeUnit.MILLISECONDS);
    }

    private void serveWatched(Service program) {
        bind(new StreamServing(LIMITS, watch, incoming -> accept(incoming, program)));
    }

    private void readsAll(BlockingStream stream) throws IOException {
        try {
            seen.add("read " + readAll(stream).length);
            stream.close();
        } catch (IOException e) {
            seen.add("reset");
            throw e;
        }
    }

    @Test
    void aConnectionEndsSomeTimeAfterItsLastSocket() throws Exception {
        serveWatched(RelayScene::echo);
        ComchSocketFactory factory = new ComchSocketFactory(name);
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 3; j++) {
                try (Socket socket = factory.createSocket()) {
                    socket.connect(new InetSocketAddress(0), (int) PATIENCE);
                    socket.getOutputStream().write(j);
                    assertThat(socket.getInputStream().read()).isEqualTo(j);
                }
            }
            assertThat(next()).isEqualTo("ready");
            assertThat(next()).isEqualTo("ended");
        }
    }

    private ChildVm program(String side, String what) throws IOException {
        return children.start(folder, Map.of("DOCA_EMU_SIDE", side), Program.class, what, name);
    }

    @Test
    void whatWasWrittenArrivesWhenAProgramEndsWithItsLastSocket() throws Exception {
        serveWatched(this::readsAll);
        ChildVm program = program("host", "closes");
        assertThat(next()).isEqualTo("ready");
        // by two threads
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("read " + LENGTH, "ended");
        program.assertSuccess();
    }

    @Test
    void aProgramThatEndsWithAnOpenSocketEndsAtOnce() throws Exception {
        serveWatched(RelayScene::echo);
        ChildVm program = program("host", "ends");
        assertThat(next()).isEqualTo("ready");
        program.assertSuccess();
        assertThat(next()).startsWith("ended");
    }

    @Test
    void whatAServerHasWrittenArrivesWhenItsProgramEnds() throws Exception {
        ChildVm program = program("dpu", "serves");
        try (Socket socket = new ComchSocketFactory(name).createSocket()) {
            socket.connect(new InetSocketAddress(0), (int) PATIENCE);
            program.assertSuccess();
            assertThat(socket.getInputStream().readAllBytes()).hasSize(LENGTH);
        }
    }

    @Test
    void aHookOpensASocketWhenTheConnectionHasEnded() throws Exception {
        serveWatched(RelayScene::echo);
        ChildVm program = program("host", "hook");
        program.assertSuccess();
        assertThat(program.out()).isEqualTo("1\n2\n");
    }

    /** Runs in a process of its own. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            switch (arguments[0]) {
                case "closes" -> {
                    try (Socket socket = connect(arguments[1])) {
                        socket.getOutputStream().write(new byte[LENGTH]);
                    }
                }
                case "ends" -> connect(arguments[1]).getOutputStream().write(new byte[LENGTH]);
                case "serves" -> {
                    try (ServerSocket server = new ComchServerSocketFactory(arguments[1]).createServerSocket(0);
                            Socket socket = server.accept()) {
                        socket.getOutputStream().write(new byte[LENGTH]);
                    }
                }
                case "hook" -> {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> afterTheLast(arguments[1])));
                    System.out.println(echoed(arguments[1], 1));
                }
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }

        /** Threads of connections have that name, and that which ends them with the process. */
        private static void afterTheLast(String service) {
            try {
                while (Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().startsWith("comch-sockets-"))) {
                    Thread.sleep(10);
                }
                System.out.println(echoed(service, 2));
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e); // is printed
            }
        }

        private static int echoed(String service, int value) throws IOException {
            try (Socket socket = connect(service)) {
                socket.getOutputStream().write(value);
                return socket.getInputStream().read();
            }
        }

        private static Socket connect(String service) throws IOException {
            Socket socket = new ComchSocketFactory(service).createSocket();
            socket.connect(new InetSocketAddress(0), (int) Machine.PATIENCE.toMillis());
            return socket;
        }
    }
}
