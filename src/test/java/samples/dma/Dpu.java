package samples.dma;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.dma.DmaContext;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * On the DPU: {@code Dpu [TEXT]} reads all blocks that {@link Host} exports, signs each, writes it back, and tells the
 * host what its memory should be like now. The host's processor does nothing for them.
 */
public class Dpu {
    private static final int DEPTH = 32; // blocks in flight
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String text;
    private ComchConnection host;
    private byte[] offer; // its first message
    private boolean seen; // there was a second one

    private Dpu(String text) {
        this.text = text;
    }

    public static void main(String[] args) {
        new Dpu(args.length > 0 ? args[0] : "comch4j").run();
    }

    private void run() {
        try (var engine = ProgressEngine.create();
                var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
                var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
                var server = ComchServer.builder(engine, device, function, Blocks.NAME)
                        .onMessage((connection, message) -> {
                            seen = offer != null;
                            if (offer == null) {
                                host = connection;
                                offer = message.toArray(ValueLayout.JAVA_BYTE);
                            }
                        })
                        .start()) {
            System.out.println("waits for blocks as \"" + server.name() + "\"");
            while (!engine.await(() -> offer != null, PATIENCE)) {
                System.out.println("no host has come yet");
            }
            byte[] descriptor = Arrays.copyOfRange(offer, Long.BYTES, offer.length);
            try (var theirs = MemoryMap.importFrom(device, descriptor);
                    var mine = MemoryMap.allocate(device, theirs.size(), Access.LOCAL_READ_WRITE)) {
                if (theirs.size() != Blocks.size(offer) || theirs.size() % Blocks.SIZE != 0) {
                    throw new IllegalStateException("the host's offer and its memory do not go together");
                }
                copy(engine, device, theirs, mine, "read");
                for (long at = 0; at < mine.size(); at += Blocks.SIZE) {
                    mine.segment().setString(at, text + " " + at / Blocks.SIZE);
                }
                copy(engine, device, mine, theirs, "wrote");
                host.send(Blocks.bytes(Blocks.sha256(mine.segment())));
                if (!engine.await(() -> seen || !host.isOpen(), PATIENCE) || !seen) {
                    throw new IllegalStateException("the host does not say that it has found them so");
                }
                System.out.println("the host has found them so");
            }
        }
    }

    private record Pair(Buffer source, Buffer target) {}

    /** Copies all blocks, {@link #DEPTH} at a time. */
    private static void copy(ProgressEngine engine, Device device, MemoryMap from, MemoryMap to, String done) {
        var free = new ArrayDeque<Pair>();
        long begin = System.nanoTime();
        try (var buffers = BufferInventory.create(2 * DEPTH);
                var dma = DmaContext.builder(device, engine)
                        .tasks(DEPTH)
                        .onCopied((self, source, target, status) -> {
                            if (status != DocaError.SUCCESS) {
                                throw new IllegalStateException("a block could not be copied: " + status);
                            }
                            free.add(new Pair(source, target));
                        })
                        .start()) {
            for (int i = 0; i < DEPTH; i++) { // each over the whole memory: a copy says which part
                free.add(new Pair(buffers.acquire(from, 0, from.size()), buffers.acquireEmpty(to, 0, to.size())));
            }
            for (long at = 0; at < from.size(); at += Blocks.SIZE) {
                await(engine, () -> !free.isEmpty());
                Pair pair = free.remove();
                dma.enqueue(pair.source.setData(at, Blocks.SIZE), pair.target.setData(at, 0));
            }
            await(engine, () -> dma.inFlight() == 0);
            double seconds = (System.nanoTime() - begin) / 1e9;
            System.out.println(done + " " + dma.copied() + " blocks of " + Blocks.SIZE + " bytes: "
                    + Math.round(dma.copiedBytes() / 1e6 / seconds) + " MB a second");
        }
    }

    private static void await(ProgressEngine engine, java.util.function.BooleanSupplier condition) {
        if (!engine.await(condition, PATIENCE)) {
            throw new IllegalStateException("a copy does not end");
        }
    }
}
