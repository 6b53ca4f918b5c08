package samples.filetransfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.NoSuchDeviceException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import samples.filetransfer.Protocol.Failure;
import samples.filetransfer.Protocol.Hello;
import samples.filetransfer.Protocol.Message;

/**
 * The service on the DPU: receives files from {@link Host}s, one after another.
 *
 * <p>A program, with one thread that owns the engine. Its exit status is 0 or, after a failure, 1 with {@code --once},
 * 2 after a usage error. Without {@code --once} it serves until it is killed; a client that fails or dies does not
 * concern the next one.
 */
public final class Dpu {
    private static final String PROGRAM = "file service";
    private static final String USAGE = """
            Usage: scripts/demo.sh service [OPTION...]
            Receives files from clients on the host, one after another, and tells them the checksum.

              --output FILE       what to write, again for each client (received.bin)
              --once              end after the first client: status 0 if its file has arrived, else 1
              --device PCI        the DPU's own device (0000:03:00.0)
              --representor PCI   the host's function to serve, as the host sees it (0000:b1:00.0)
              --name NAME         what clients ask for (comch4j-file)
              --patience SECONDS  how long a client may keep silent (60)
              --library WHICH     auto, system, emulated, or a folder with DOCA's libraries (auto)
              --help              this text
            """;

    private final PciAddress address;
    private final PciAddress function;
    private final String name;
    private final Path output;
    private final boolean once;
    private final Duration silence;

    private Patience idle; // between clients
    private Reception current; // null: free for the next client

    private Dpu(CommandLine line) {
        address = line.address("--device", "0000:03:00.0");
        function = line.address("--representor", "0000:b1:00.0");
        name = line.name("comch4j-file");
        output = Path.of(line.value("--output").orElse("received.bin")).toAbsolutePath();
        once = line.flag("--once");
        silence = Duration.ofSeconds(line.number("--patience", "60", 1, 86_400));
        line.end();
    }

    /**
     * The program; ends the VM.
     *
     * @param arguments options, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(CommandLine.run(PROGRAM, USAGE, arguments, line -> {
            new Dpu(line).run();
            return 0;
        }));
    }

    private void run() throws IOException {
        if (Files.isDirectory(output) || !Files.isDirectory(output.getParent())) {
            throw new TransferException("there can be no file " + output);
        }
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Device.openDpu(address);
                Representor representor = device.openRepresentor(function);
                ComchServer server = start(engine, device, representor)) {
            idle = new Patience(engine, silence);
            LibraryInfo library = Doca.library();
            System.out.println("%s serves %s as \"%s\" (DOCA %s, %s)"
                    .formatted(address, function, server.name(), library.version(), library.kind()));
            do {
                idle.awaitForever(() -> current != null);
                serve(device);
            } while (!once);
        } catch (NoSuchDeviceException e) {
            throw new TransferException(e.getMessage(), e); // no such device or representor: lists those that there are
        }
    }

    private ComchServer start(ProgressEngine engine, Device device, Representor representor) {
        try {
            return ComchServer.builder(engine, device, representor, name)
                    .onMessage(this::onMessage)
                    .onDisconnected(this::onDisconnected)
                    .start();
        } catch (DocaException e) {
            if (e.error() == DocaError.INITIALIZATION) {
                throw new TransferException(
                        "\"" + name + "\" cannot be served at " + function + ": " + e.getMessage(), e);
            }
            throw e;
        }
    }

    /** Each connection has its reception attached from its first message on. */
    private void onMessage(ComchConnection connection, MemorySegment bytes) {
        try {
            Message message = Protocol.decode(bytes);
            if (connection.attachment() instanceof Reception reception) {
                reception.onMessage(message);
            } else if (!(message instanceof Hello hello)) {
                refuse(connection, "the client speaks out of turn");
            } else if (current != null) {
                refuse(connection, "another client is being served");
            } else {
                current = new Reception(connection, hello, silence);
                connection.attach(current);
            }
        } catch (TransferException e) {
            refuse(connection, e.getMessage());
        }
    }

    private void onDisconnected(ComchConnection connection) {
        if (connection.attachment() instanceof Reception reception) {
            reception.onDisconnected();
        } else if (once && current == null) {
            idle.fail("a client came and went without a word");
        }
    }

    private void serve(Device device) throws IOException {
        Reception reception = current;
        try {
            reception.receive(device, output);
        } catch (TransferException e) {
            refuse(reception.connection(), e.getMessage());
            if (once) {
                throw e;
            }
            System.err.println(PROGRAM + ": " + e.getMessage());
        } finally {
            reception.connection().disconnect();
            current = null;
        }
    }

    private static void refuse(ComchConnection connection, String reason) {
        try {
            connection.trySend(Protocol.encode(new Failure(reason)));
        } catch (DocaException e) {
            // the connection has ended: there is no client to report to
        }
    }
}
