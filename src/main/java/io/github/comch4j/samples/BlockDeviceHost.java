package io.github.comch4j.samples;

import io.github.comch4j.cli.program.CommandLine;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.NoSuchDeviceException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * Exports memory on the host as a block device, for {@link BlockDeviceDpu} on the DPU: sends the descriptor over Comch
 * and does nothing more until the DPU says what the blocks should be like now. The memory is a file's, so what the DPU
 * has written can be looked at.
 *
 * <p>A program, with one thread that owns the engine. Its exit status is 0 if the blocks are as the DPU says, 1 after a
 * failure, 2 after a usage error.
 */
public final class BlockDeviceHost {
    private static final String USAGE = """
            Usage: BlockDeviceHost [OPTION...]
            Exports a file's memory as a block device, which the DPU reads and writes by DMA.

              --file FILE         its blocks; made, or made longer, if need be (blocks.img)
              --size SIZE         of the device, a multiple of 4 KiB (16m)
              --device PCI        the host's function (0000:b1:00.0)
              --name NAME         what to ask for (comch4j-blocks)
              --patience SECONDS  how long the DPU may keep silent (60)
              --library WHICH     auto, system, emulated, or a folder with DOCA's libraries (auto)
              --help              this text
            """;

    private final PciAddress address;
    private final String name;
    private final Path file;
    private final long size;
    private final Duration silence;
    private String told = ""; // by the DPU, in the end

    private BlockDeviceHost(CommandLine line) {
        address = line.address("--device", "0000:b1:00.0");
        name = line.name("comch4j-blocks");
        file = Path.of(line.value("--file").orElse("blocks.img"));
        size = line.size("--size", "16m", Blocks.SIZE, 1L << 30);
        silence = Duration.ofSeconds(line.number("--patience", "60", 1, 86_400));
        line.end();
        if (size % Blocks.SIZE != 0) {
            throw new ProgramException("--size " + size + " is not a multiple of " + Blocks.SIZE);
        }
    }

    /**
     * The program; ends the VM.
     *
     * @param arguments options, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(CommandLine.run("block device", USAGE, arguments, line -> {
            new BlockDeviceHost(line).run();
            return 0;
        }));
    }

    private void run() throws IOException {
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared();
                ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openHost(address)) {
            MemorySegment blocks = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            ProgressWait patience = new ProgressWait(engine, silence);
            try (MemoryMap memory = MemoryMap.wrap(device, blocks, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                    ComchClient client = ComchClient.builder(engine, device, name)
                            .onMessage((connection, message) -> told = Blocks.text(message))
                            .onDisconnected(connection -> patience.fail("the DPU has left"))
                            .connect(silence)) {
                System.out.println("exports " + Sizes.format(size) + " of " + file);
                client.connection().send(Blocks.offer(size, memory.exportPci(device)));
                patience.await("the DPU's word", () -> !told.isEmpty());
                String found = Blocks.sha256(blocks);
                System.out.println("the DPU says " + told + "\nthe host has " + found);
                if (!found.equals(told)) {
                    throw new ProgramException("the blocks are not as the DPU says");
                }
                client.connection().send(Blocks.text("seen"));
            }
        } catch (NoSuchDeviceException e) {
            throw new ProgramException(e.getMessage(), e); // lists the devices that there are
        }
    }
}
