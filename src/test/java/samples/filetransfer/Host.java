package samples.filetransfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ConnectionCounters;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.NoSuchDeviceException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import samples.filetransfer.Protocol.Chunk;
import samples.filetransfer.Protocol.End;
import samples.filetransfer.Protocol.Failure;
import samples.filetransfer.Protocol.Hello;
import samples.filetransfer.Protocol.Result;
import samples.filetransfer.Protocol.Verdict;
import samples.filetransfer.Protocol.Welcome;

/**
 * The client on the host: sends a file to the service ({@link Dpu}), straight from the mapped file, and compares
 * checksums.
 *
 * <p>A program, with one thread that owns the engine. Its exit status is 0 when the service has the same bytes, 1 after
 * a failure, 2 after a usage error. The file must not become shorter while it is sent.
 */
public final class Host {
    private static final String USAGE = """
            Usage: scripts/demo.sh client [OPTION...] FILE
            Sends FILE to a file service on the DPU and compares checksums.

              --device PCI        the host's function of the BlueField (0000:b1:00.0)
              --name NAME         the service's name (comch4j-file)
              --chunk SIZE        bytes in one message of the fast path, e.g. 64k (1m)
              --depth N           messages in flight (32)
              --timeout SECONDS   how long to wait for the service to appear (10)
              --patience SECONDS  how long it may keep silent later (60)
              --library WHICH     auto, system, emulated, or a folder with DOCA's libraries (auto)
              --help              this text
            """;

    /** How much of the file is mapped at a time, so that memory stays the same for any file. */
    private static final long WINDOW = Protocol.MAX_CHUNK;

    private final PciAddress address;
    private final String name;
    private final long chunkSize;
    private final int depth;
    private final Duration timeout;
    private final Duration silence;
    private final Path path;
    private final MemorySegment immediate = MemorySegment.ofArray(new byte[Chunk.BYTES]);

    private Patience patience;
    private Welcome welcome;
    private int consumerId;
    private Result result;
    private long chunks;
    private long position;

    private Host(CommandLine line) {
        address = line.address("--device", "0000:b1:00.0");
        name = line.name("comch4j-file");
        chunkSize = line.size("--chunk", "1m", 1, Protocol.MAX_CHUNK);
        depth = line.number("--depth", "32", 1, 4096);
        timeout = Duration.ofSeconds(line.number("--timeout", "10", 1, 86_400));
        silence = Duration.ofSeconds(line.number("--patience", "60", 1, 86_400));
        path = Path.of(line.operand("FILE"));
        line.end();
    }

    /**
     * The program; ends the VM.
     *
     * @param arguments options and FILE, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(CommandLine.run("file client", USAGE, arguments, line -> {
            new Host(line).run();
            return 0;
        }));
    }

    private void run() throws IOException {
        try (FileChannel file = open();
                ProgressEngine engine = ProgressEngine.create();
                Device device = openDevice();
                ComchClient client = connect(engine, device)) {
            try {
                transfer(file, device, client.connection());
            } catch (DocaException | SendFailedException e) {
                throw patience.explain(e);
            }
        }
    }

    private FileChannel open() throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new TransferException(
                    Files.exists(path) ? path + " is not a regular file" : "there is no file " + path);
        }
        if (!Files.isReadable(path)) {
            throw new TransferException(path + " must not be read by this user");
        }
        return FileChannel.open(path, StandardOpenOption.READ);
    }

    private Device openDevice() {
        try {
            return Device.openHost(address);
        } catch (NoSuchDeviceException e) {
            throw new TransferException(e.getMessage(), e); // lists the devices that there are
        }
    }

    private ComchClient connect(ProgressEngine engine, Device device) {
        patience = new Patience(engine, silence);
        try {
            return ComchClient.builder(engine, device, name)
                    .onMessage(this::onMessage)
                    .onConsumer((connection, id) -> consumerId = id)
                    .onConsumerExpired((connection, id) -> consumerId = 0)
                    .onDisconnected(connection ->
                            patience.fail("the service has gone after " + Sizes.format(position) + " were sent"))
                    .connect(timeout);
        } catch (DocaException e) {
            if (e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT) {
                throw refused(e);
            }
            throw e;
        }
    }

    /** Why no server accepts this client, and what is to be done about it. */
    private TransferException refused(DocaException refusal) {
        String reason = refusal.reason();
        String advice = "is the file service running?";
        return new TransferException(
                "no server \"" + name + "\" accepts clients of " + address + ": "
                        + (reason.isEmpty() ? advice : reason)
                        + (reason.contains("finds no server") ? "; " + advice : ""),
                refusal);
    }

    private void onMessage(ComchConnection connection, MemorySegment message) {
        switch (Protocol.decode(message)) {
            case Welcome received -> welcome = received;
            case Result received -> result = received;
            case Failure failure -> patience.fail("the service gives up: " + failure.reason());
            default -> patience.fail("the service speaks out of turn");
        }
    }

    @SuppressWarnings("ClosingStandardOutputStreams") // the progress bar ends its line and leaves the stream open
    private void transfer(FileChannel file, Device device, ComchConnection connection) throws IOException {
        long size = file.size();
        greet(connection, size);
        long began = System.nanoTime();
        String sha256;
        try (ComchProducer producer = connection
                        .producer(connection.endpoint().engine())
                        .tasks(depth)
                        .onCompletion(Host::onSent)
                        .start();
                ProgressBar bar = new ProgressBar(System.out, ProgressBar.stdoutIsTerminal(), size)) {
            sha256 = stream(file, size, device, producer, bar);
            connection.send(Protocol.encode(new End(chunks)));
            patience.await("the service's checksum", () -> result != null);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        ConnectionCounters counters = connection.counters();

        boolean correct = result.fileSize() == size
                && result.chunks() == chunks
                && result.sha256().equals(sha256);
        connection.send(Protocol.encode(new Verdict(correct)));
        if (!correct) {
            throw new TransferException("sent %d bytes with SHA-256 %s, but the service received %d with %s"
                    .formatted(size, sha256, result.fileSize(), result.sha256()));
        }
        System.out.println("sent %s in %.2f s: %.0f MB/s, %d messages of up to %s, %.0f messages/s"
                .formatted(
                        Sizes.format(size),
                        seconds,
                        size / seconds / 1e6,
                        chunks,
                        Sizes.format(chunkSize),
                        chunks / seconds));
        System.out.println("SHA-256 on both sides: " + sha256);
        System.out.println("control path, client:  " + Protocol.describe(counters));
        System.out.println("control path, service: " + Protocol.describe(result.counters()));
    }

    private void greet(ComchConnection connection, long size) {
        connection.send(Protocol.encode(new Hello(
                Protocol.VERSION,
                size,
                chunkSize,
                depth,
                "hello, this is the host at " + address + " with " + path.getFileName())));
        patience.await("the service's greeting", () -> welcome != null && consumerId != 0);
        System.out.println("the service says: " + welcome.greeting());
    }

    /** Sends the whole file; returns its SHA-256. */
    private String stream(FileChannel file, long size, Device device, ComchProducer producer, ProgressBar bar)
            throws IOException {
        MessageDigest digest = Protocol.sha256();
        long window = WINDOW - WINDOW % chunkSize; // no chunk crosses its end
        while (position < size) {
            long length = Math.min(window, size - position);
            // closed from right to left: the map waits for what is in flight, then the file is unmapped
            try (Arena arena = Arena.ofConfined();
                    MemoryMap memory = MemoryMap.wrap(
                            device, file.map(MapMode.READ_ONLY, position, length, arena), Access.PCI_READ_ONLY)) {
                for (long offset = 0; offset < length; offset += chunkSize) {
                    Buffer buffer = producer.acquire(memory, offset, Math.min(chunkSize, length - offset));
                    MemorySegment bytes = buffer.segment();
                    send(producer, buffer);
                    digest.update(bytes.asByteBuffer()); // while it is being sent
                    bar.update(position);
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private void send(ComchProducer producer, Buffer buffer) {
        long length = buffer.length();
        new Chunk(chunks, position).writeTo(immediate);
        patience.await(
                "room at the service",
                () -> producer.trySend(buffer, consumerId, immediate).accepted());
        chunks++;
        position += length;
    }

    private static void onSent(ComchProducer producer, Buffer buffer, DocaError status) {
        buffer.close();
        if (status != DocaError.SUCCESS) {
            throw new SendFailedException(status);
        }
    }

    /** A chunk was accepted, and did not arrive. */
    private static final class SendFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SendFailedException(DocaError status) {
            super("sending a chunk failed: " + status + " (" + status.description() + ")");
        }
    }
}
