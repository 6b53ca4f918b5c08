package io.github.comch4j.reliability;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.cli.copy.CopyClient;
import io.github.comch4j.cli.copy.CopyLink;
import io.github.comch4j.cli.copy.CopyOptions;
import io.github.comch4j.cli.copy.CopyProgress;
import io.github.comch4j.cli.copy.CopyServer;
import io.github.comch4j.cli.copy.OpenFolder;
import io.github.comch4j.cli.relay.Relay;
import io.github.comch4j.cli.relay.RelayEndpoint;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.streams.PeerLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.PrimitiveIterator.OfInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The paths of the tool {@code comch}: copied files, and streams of its relay. */
final class MatrixToolPaths {
    private static final int SMALL = 64;

    private MatrixToolPaths() {}

    static List<MatrixPath> all() {
        return List.of(new Put(), new Get(), new Relayed());
    }

    // ---- comch cp

    /** A folder in memory, and a connection to copy between it and the other end's. */
    private static final class Copies {
        private static final int LARGE = 300_000; // more than a chunk

        final Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "matrix");
        private final MatrixScene scene;
        private final MessageServerSocket server; // null: the host's
        private final MessageSocket socket;

        Copies(MatrixScene scene, String service) throws IOException {
            this.scene = scene;
            if (scene.representor == null) {
                server = null;
                socket = MessageSocket.builder(scene.loop(), scene.device, service)
                        .connect(MatrixScene.PATIENCE);
            } else {
                server = MessageServerSocket.builder(scene.loop(), scene.device, scene.representor, service)
                        .open();
                socket = server.accept(MatrixScene.PATIENCE);
            }
            if (socket == null) {
                close();
                throw new IllegalStateException("no client");
            }
        }

        Path file(int item) {
            return folder.resolve(String.format(Locale.ROOT, "%03d", item));
        }

        /** An item is a file. */
        void write(int item) throws IOException {
            Files.write(file(item), MatrixItems.of(item, item % 4 == 0 ? LARGE : SMALL));
        }

        /** What there is, in order. */
        int[] items() throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                int[] items = files.map(file -> file.getFileName().toString())
                        .filter(name -> !name.startsWith(".")) // it is not whole
                        .mapToInt(Integer::parseInt)
                        .sorted()
                        .toArray();
                for (int item : items) {
                    if (MatrixItems.number(Files.readAllBytes(file(item))) != item) {
                        throw new AssertionError("other bytes than were written: file " + item);
                    }
                }
                return items;
            }
        }

        /** As {@code comch cp --serve} does with a client; what it says on stderr, it throws. */
        void serve() throws IOException {
            PrintStream usual = System.err;
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            System.setErr(new PrintStream(said, true, UTF_8));
            try (OpenFolder root = OpenFolder.root(folder)) {
                new CopyServer(root, false).serve(socket, scene.loop(), () -> false);
            } finally {
                System.setErr(usual);
            }
            if (said.size() > 0) {
                throw new IOException(said.toString(UTF_8));
            }
        }

        /** As {@code comch cp} does with the other side. */
        void ask(boolean recursive, Asking copies) throws IOException {
            try (CopyProgress progress = new CopyProgress(true);
                    CopyLink link = new CopyLink(socket, scene.loop(), () -> false)) {
                CopyClient client = new CopyClient(link, progress, new CopyOptions(recursive, false, false));
                link.run(() -> copies.with(client));
                if (progress.failures() > 0) {
                    throw new IOException(progress.toString());
                }
            }
        }

        interface Asking {
            void with(CopyClient client) throws IOException;
        }

        void close() throws IOException {
            try (server) {
                if (socket != null) {
                    socket.close();
                }
            } finally {
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file :
                            files.sorted((one, other) -> other.compareTo(one)).toList()) {
                        Files.delete(file);
                    }
                }
            }
        }
    }

    /** What one end does to copy. */
    private interface Copying {
        void copy(Copies copies, int items) throws IOException;
    }

    private static MatrixPath.Writer writer(Copies copies, Copying copying) {
        return new MatrixPath.Writer() {
            private int items;

            @Override
            public void write(int item) throws IOException {
                copies.write(item);
                items++;
            }

            @Override
            public void end() throws IOException {
                copying.copy(copies, items);
            }

            @Override
            public void close() throws IOException {
                copies.close();
            }
        };
    }

    private static MatrixPath.Reader reader(Copies copies, Copying copying) {
        return new MatrixPath.Reader() {
            private OfInt items;
            private IOException failure;

            @Override
            public int read() throws IOException {
                if (items == null) {
                    try {
                        copying.copy(copies, 0);
                    } catch (IOException e) {
                        failure = e;
                    } catch (RuntimeException e) { // with a sentence for the user
                        failure = new IOException(e.getMessage(), e);
                    }
                    items = Arrays.stream(copies.items()).iterator();
                }
                if (items.hasNext()) {
                    return items.nextInt();
                }
                if (failure != null) {
                    throw failure;
                }
                return MatrixPath.END;
            }

            @Override
            public void close() throws IOException {
                copies.close();
            }
        };
    }

    /** {@code comch cp FILE… dpu:}, while {@code comch cp --serve} runs on the DPU. */
    private record Put() implements MatrixPath {
        @Override
        public String name() {
            return "cp-put";
        }

        @Override
        public List<Class<?>> types() {
            return List.of(CopyClient.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) throws IOException {
            return MatrixToolPaths.writer(new Copies(scene, service), (copies, items) -> {
                List<String> files = IntStream.range(0, items)
                        .mapToObj(item -> copies.file(item).toString())
                        .toList();
                copies.ask(false, client -> client.put(files, ""));
            });
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws IOException {
            return MatrixToolPaths.reader(new Copies(scene, service), (copies, items) -> copies.serve());
        }
    }

    /** {@code comch cp -r host:. FOLDER}, while {@code comch cp --serve} runs on the host. */
    private record Get() implements MatrixPath {
        @Override
        public String name() {
            return "cp-get";
        }

        @Override
        public List<Class<?>> types() {
            return List.of(CopyServer.class);
        }

        @Override
        public Writer writer(MatrixScene scene, String service) throws IOException {
            return MatrixToolPaths.writer(new Copies(scene, service), (copies, items) -> copies.serve());
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws IOException {
            return MatrixToolPaths.reader(
                    new Copies(scene, service),
                    (copies, items) -> copies.ask(true, client -> client.get(List.of("."), copies.folder.toString())));
        }
    }

    // ---- comch relay

    /** A TCP program on the host, two relays, and a TCP program on the DPU. */
    private record Relayed() implements MatrixPath {
        private static final int SIZE = 64 << 10;
        private static final PeerLimits LIMITS = new PeerLimits(256 << 10, 16, 16, Duration.ofSeconds(1));

        @Override
        public String name() {
            return "relay";
        }

        @Override
        public List<Class<?>> types() {
            return List.of(Relay.class);
        }

        private static Relay start(MatrixScene scene, String from, String to) {
            Relay relay = new Relay(
                    scene.device.address(),
                    scene.representor == null ? null : scene.representor.address(),
                    LIMITS,
                    MatrixScene.PATIENCE,
                    false);
            try {
                relay.start(List.of(RelayEndpoint.pair(from, to)));
            } catch (RuntimeException e) {
                relay.close();
                throw e;
            }
            return relay;
        }

        @Override
        public Writer writer(MatrixScene scene, String service) throws IOException {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            Relay relay = start(scene, "tcp:" + port, "comch:" + service);
            Socket socket = new Socket();
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
                socket.getOutputStream().write(1); // the reader waits for it
                word(socket);
            } catch (IOException e) {
                socket.close();
                relay.close();
                throw e;
            }
            Socket connected = socket;
            OutputStream output = socket.getOutputStream();
            return new Writer() {
                @Override
                public void write(int item) throws IOException {
                    output.write(MatrixItems.of(item, SIZE));
                }

                @Override
                public void end() throws IOException {
                    connected.shutdownOutput();
                    word(connected); // TCP tells a writer nothing else
                }

                @Override
                public void close() throws IOException {
                    connected.close();
                    relay.close();
                }
            };
        }

        /** The other program's. */
        private static void word(Socket socket) throws IOException {
            if (socket.getInputStream().read() != 1) {
                throw new IOException("no word of the other end");
            }
        }

        @Override
        public Reader reader(MatrixScene scene, String service) throws IOException {
            ServerSocket target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            target.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
            Relay relay;
            Socket socket;
            try {
                relay = start(scene, "comch:" + service, "tcp:" + target.getLocalPort());
            } catch (RuntimeException e) {
                target.close();
                throw e;
            }
            try {
                socket = target.accept();
                socket.setSoTimeout((int) MatrixScene.PATIENCE.toMillis());
                word(socket);
                socket.getOutputStream().write(1);
            } catch (IOException e) {
                target.close();
                relay.close();
                throw e;
            }
            InputStream input = socket.getInputStream();
            ReadableByteChannel items = Channels.newChannel(input);
            return new Reader() {
                @Override
                public int read() throws IOException {
                    int item = MatrixStreams.item(items, SIZE);
                    if (item == END) {
                        socket.getOutputStream().write(1);
                        socket.shutdownOutput();
                    }
                    return item;
                }

                @Override
                public void close() throws IOException {
                    socket.close();
                    target.close();
                    relay.drain(); // what was written goes out
                    relay.close();
                }
            };
        }
    }
}
