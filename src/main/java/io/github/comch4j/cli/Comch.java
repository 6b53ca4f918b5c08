package io.github.comch4j.cli;

import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.DeviceProperties;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.NoSuchDeviceException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.RepresentorInfo;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.conformance.Conformance;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.program.CommandLine;
import io.github.comch4j.internal.program.ProgramException;
import io.github.comch4j.internal.program.Sizes;
import java.util.List;

/**
 * Looks whether a machine is ready for Comch: which libraries there are, which devices, what they can do, and whether a
 * message gets through; holds the conversations of the sample programs in DOCA's guides, also with these programs; and
 * asks a BlueField how it behaves.
 *
 * <p>A program, the main class of the jar. Its exit status is 0, 1 after a failure, or 2 after a usage error.
 */
public final class Comch {
    private static final String PROGRAM = "comch";
    private static final String USAGE = """
            Usage: comch COMMAND [OPTION...]

              info      the libraries, their version, and why these were chosen
              devices   the devices of this side, and on the DPU the host's functions behind them
              serve     on the DPU: answer pings, until killed
              ping      on the host: send messages to "comch serve" and time the answers
              sample    either end of the sample programs in DOCA's guides, see "comch sample --help"
              conformance
                        asks a BlueField how it behaves, in two halves, see "comch conformance --help"

            serve:
              --device PCI        the DPU's own device (the first that can serve)
              --representor PCI   the host's function to serve, as the host sees it (the first)
              --name NAME         what clients ask for (comch4j-ping)
              --clients N         end after so many clients
            ping:
              --device PCI        the host's function of the BlueField (the first that can be a client)
              --name NAME         the server's name (comch4j-ping)
              --count N           messages (10)
              --size BYTES        of each (64)
              --timeout SECONDS   how long to wait for the server, and for each answer (10)
            devices:
              --limits            also how much each device takes at most
            all:
              --library WHICH     auto, system, emulated, or a folder with DOCA's libraries (auto)
              --help              this text
            """;

    private Comch() {}

    /**
     * The program; ends the VM.
     *
     * @param arguments a command and options, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(status(arguments));
    }

    /** The program's exit status. */
    static int status(String... arguments) {
        String first = arguments.length > 0 ? arguments[0] : "";
        String usage =
                first.equals("sample") ? SampleCommand.USAGE : first.equals("conformance") ? Conformance.USAGE : USAGE;
        return CommandLine.run(PROGRAM, usage, arguments, line -> {
            try {
                return run(line);
            } catch (NoSuchDeviceException e) {
                // no such device or representor: lists those that there are
                throw new ProgramException(e.getMessage(), e);
            }
        });
    }

    private static int run(CommandLine line) {
        String command = line.command("command", "info", "devices", "serve", "ping", "sample", "conformance");
        switch (command) {
            case "info" -> {
                line.end();
                info();
            }
            case "devices" -> {
                boolean limits = line.flag("--limits");
                line.end();
                devices(limits);
            }
            case "serve" -> new PingServer(line).run();
            case "sample" -> SampleCommand.run(line);
            case "conformance" -> {
                return Conformance.run(line);
            }
            default -> new PingClient(line).run();
        }
        return 0;
    }

    private static void info() {
        LibraryInfo library = Doca.library();
        System.out.println("libraries: " + library.kind() + ", " + library.location());
        System.out.println("Comch:     " + NativeLibrary.generation());
        System.out.println("chosen:    " + library.reason());
        System.out.println("DOCA:      " + library.version());
        System.out.println("Java:      " + Runtime.version() + ", " + System.getProperty("java.vendor"));
        System.out.println("machine:   " + System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch"));
        System.out.println("user:      " + System.getProperty("user.name"));
    }

    private static void devices(boolean limits) {
        for (DeviceInfo info : devicesHere()) {
            System.out.println(
                    info.address() + "  " + info.ibDeviceName() + "  " + info.interfaceName() + "  " + role(info));
            try (Device device = Devices.open(info.address())) {
                describe(device, limits);
            } catch (DocaException e) {
                System.out.println("  cannot be opened: " + e.getMessage());
            }
        }
    }

    private static List<DeviceInfo> devicesHere() {
        List<DeviceInfo> devices = Devices.list();
        if (devices.isEmpty()) {
            throw new ProgramException(DeviceCalls.none());
        }
        return devices;
    }

    private static String role(DeviceInfo info) {
        return info.server() && info.client()
                ? "server and client"
                : info.server() ? "server: a DPU's device" : info.client() ? "client: a host's function" : "no Comch";
    }

    private static void describe(Device device, boolean limits) {
        DeviceProperties properties = device.properties();
        properties.mac().ifPresent(mac -> System.out.println("  MAC address " + mac));
        if (!properties.representorFilters().isEmpty()) {
            for (RepresentorInfo function : device.representors()) {
                System.out.println("  represents " + function.address() + "  " + function.type() + "  "
                        + function.interfaceName() + "  " + function.vuid());
            }
        }
        if (!limits || (!device.supportsServers() && !device.supportsClients())) {
            return;
        }
        Capabilities most = Capabilities.of(device);
        System.out.println("  control path: names of " + most.maxNameLength() + " bytes, messages of "
                + most.maxMessageSize() + " bytes, receive queues of " + most.maxReceiveQueueSize() + ", "
                + most.maxSendTasks() + " send tasks, " + most.maxClients() + " clients");
        System.out.println(most.producer()
                .map(producer -> "  producers: " + producer.maxProducers() + ", with " + producer.maxTasks()
                        + " tasks and buffers of "
                        + Sizes.format(producer.maxBufferSize()))
                .orElse("  no producers"));
        System.out.println(most.consumer()
                .map(consumer -> "  consumers: " + consumer.maxConsumers() + ", with " + consumer.maxTasks()
                        + " tasks, buffers of "
                        + Sizes.format(consumer.maxBufferSize()) + " and " + consumer.maxImmediateLength()
                        + " bytes of immediate data")
                .orElse("  no consumers"));
    }

    /** The first device that is good for this. */
    static PciAddress choose(boolean server) {
        return devicesHere().stream()
                .filter(device -> server ? device.server() : device.client())
                .map(DeviceInfo::address)
                .findFirst()
                .orElseThrow(() -> new ProgramException(
                        server
                                ? "no device here can serve: a server runs on the DPU"
                                : "no device here can be a client: a client runs on the host"));
    }
}
