package samples.dma;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.*;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * On the host: {@code Host [FILE [BLOCKS]]} exports the memory of a file as a block device, and does nothing more until
 * the DPU says what the blocks should be like now. The file is made, or made longer, if need be.
 */
public class Host {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private String told = ""; // what the DPU says
    private boolean left;

    public static void main(String[] args) throws IOException {
        Path file = args.length > 0 ? Path.of(args[0]) : Files.createTempFile("blocks", ".img");
        new Host().run(file, Blocks.SIZE * (args.length > 1 ? Long.parseLong(args[1]) : 4096));
    }

    private void run(Path file, long size) throws IOException {
        try (var channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var arena = Arena.ofShared();
                var engine = ProgressEngine.create();
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"))) {
            MemorySegment blocks = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            try (var memory = MemoryMap.wrap(device, blocks, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                    var client = ComchClient.builder(engine, device, Blocks.NAME)
                            .onMessage((dpu, message) -> told = Blocks.text(message))
                            .onDisconnected(dpu -> left = true)
                            .connect(PATIENCE)) {
                System.out.println("exports " + size / Blocks.SIZE + " blocks of " + file);
                client.connection().send(Blocks.offer(size, memory.exportPci(device)));
                if (!engine.await(() -> !told.isEmpty() || left, PATIENCE) || left) {
                    throw new IOException("the DPU has left, or says nothing");
                }
                if (!Blocks.sha256(blocks).equals(told)) {
                    throw new IOException("the blocks are not as the DPU says");
                }
                System.out.println("the blocks are as the DPU says: " + told);
                client.connection().send(Blocks.bytes("seen"));
            }
        }
    }
}
