package io.github.comch4j.samples;

import io.github.comch4j.DocaError;
import io.github.comch4j.cli.program.CommandLine;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ProgressWait;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.NoSuchDeviceException;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.dma.DmaContext;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Reads and writes, by DMA, the blocks that {@link BlockDeviceHost} exports on the host: reads all of them, signs each
 * and writes it back, and tells the host what its memory should be like now. Many blocks are in flight at a time, and
 * the host's processor does nothing for them.
 *
 * <p>A program, with one thread that owns the engine. Its exit status is 0 if the host has found its blocks so, 1 after
 * a failure, 2 after a usage error.
 */
public final class BlockDeviceDpu {
    private static final String USAGE = """
            Usage: BlockDeviceDpu [OPTION...]
            Signs all blocks of the device that a program on the host exports: reads and writes them by DMA.

              --text TEXT         what to write at the beginning of each block, before its number (comch4j)
              --depth NUMBER      blocks in flight (32)
              --device PCI        the DPU's own device (0000:03:00.0)
              --representor PCI   the host's function to serve, as the host sees it (0000:b1:00.0)
              --name NAME         what the host asks for (comch4j-blocks)
              --patience SECONDS  how long the host may keep silent (60)
              --library WHICH     auto, system, emulated, or a folder with DOCA's libraries (auto)
              --help              this text
            """;

    private final PciAddress address;
    private final PciAddress function;
    private final String name;
    private final String text;
    private final int depth;
    private final Duration silence;

    private byte[] offer; // null: none yet
    private ComchConnection host;
    private boolean seen;

    private BlockDeviceDpu(CommandLine line) {
        address = line.address("--device", "0000:03:00.0");
        function = line.address("--representor", "0000:b1:00.0");
        name = line.name("comch4j-blocks");
        text = line.value("--text").orElse("comch4j");
        depth = line.number("--depth", "32", 1, 4096);
        silence = Duration.ofSeconds(line.number("--patience", "60", 1, 86_400));
        line.end();
        if (text.getBytes(StandardCharsets.UTF_8).length > Blocks.SIZE / 2) {
            throw new ProgramException("--text: longer than half a block");
        }
    }

    /**
     * The program; ends the VM.
     *
     * @param arguments options, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(CommandLine.run("block device", USAGE, arguments, line -> {
            new BlockDeviceDpu(line).run();
            return 0;
        }));
    }

    private void run() throws IOException {
        try (ProgressEngine engine = ProgressEngine.create();
                Device device = Devices.openDpu(address);
                Representor representor = device.openRepresentor(function);
                ComchServer server = ComchServer.builder(engine, device, representor, name)
                        .onMessage((connection, message) -> {
                            if (offer == null) {
                                host = connection;
                                offer = message.toArray(ValueLayout.JAVA_BYTE);
                            } else {
                                seen = true;
                            }
                        })
                        .start()) {
            System.out.println(address + " serves " + function + " as \"" + server.name() + "\"");
            ProgressWait patience = new ProgressWait(engine, silence);
            patience.await("the host's offer", () -> offer != null);
            if (offer.length <= Long.BYTES) {
                throw new ProgramException("the host's offer is too short");
            }
            byte[] descriptor = Arrays.copyOfRange(offer, Long.BYTES, offer.length);
            try (MemoryMap theirs = MemoryMap.importFrom(device, descriptor);
                    MemoryMap mine = MemoryMap.allocate(device, theirs.size(), Access.LOCAL_READ_WRITE)) {
                if (theirs.size() != Blocks.size(offer) || theirs.size() % Blocks.SIZE != 0) {
                    throw new ProgramException("the host's offer and its memory do not go together");
                }
                sign(engine, patience, device, theirs, mine);
                host.send(Blocks.text(Blocks.sha256(mine.segment())));
                patience.await("the host's answer", () -> seen || !host.isOpen());
                System.out.println(seen ? "the host has found them so" : "the host has left");
                if (!seen) {
                    throw new ProgramException("the host does not say that it has found them so");
                }
            }
        } catch (NoSuchDeviceException e) {
            throw new ProgramException(e.getMessage(), e); // lists the devices and representors that there are
        }
    }

    private void sign(ProgressEngine engine, ProgressWait patience, Device device, MemoryMap theirs, MemoryMap mine) {
        copy(engine, patience, device, theirs, mine, "read");
        for (long at = 0; at < mine.size(); at += Blocks.SIZE) {
            mine.segment().setString(at, text + " " + at / Blocks.SIZE);
        }
        copy(engine, patience, device, mine, theirs, "wrote");
    }

    /** All blocks from one map to the same places of the other. */
    private void copy(
            ProgressEngine engine, ProgressWait patience, Device device, MemoryMap from, MemoryMap to, String done) {
        Deque<Pair> free = new ArrayDeque<>();
        long begin = System.nanoTime();
        try (BufferInventory buffers = BufferInventory.create(2 * depth);
                DmaContext dma = DmaContext.builder(device, engine)
                        .tasks(depth)
                        .onCopied((self, source, target, status) -> {
                            if (status != DocaError.SUCCESS) {
                                patience.fail("a block could not be copied: " + status);
                            }
                            free.add(new Pair(source, target));
                        })
                        .start()) {
            for (int i = 0; i < depth; i++) { // windows on all blocks, moved from one to the next
                free.add(new Pair(buffers.acquire(from, 0, from.size()), buffers.acquireEmpty(to, 0, to.size())));
            }
            for (long at = 0; at < from.size(); at += Blocks.SIZE) {
                patience.await("a block", () -> !free.isEmpty());
                Pair pair = free.remove();
                dma.enqueue(pair.source.setData(at, Blocks.SIZE), pair.target.setData(at, 0));
            }
            patience.await("the last blocks", () -> dma.inFlight() == 0);
            double seconds = (System.nanoTime() - begin) / 1e9;
            System.out.println("%s %d blocks of %d bytes, %s, in %.3f s: %.0f MB/s"
                    .formatted(
                            done,
                            dma.copied(),
                            Blocks.SIZE,
                            Sizes.format(dma.copiedBytes()),
                            seconds,
                            dma.copiedBytes() / 1e6 / seconds));
        }
    }

    /** The two ends of a copy. */
    private record Pair(Buffer source, Buffer target) {}
}
