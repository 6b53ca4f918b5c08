package samples.blockdevice;

import examples.BlockClient;
import io.github.comch4j.core.*;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;

/** On the host: writes the whole device in blocks of 64 KiB, reads 10,000 blocks of 4 KiB anywhere, and compares. */
public class Host {
    private static final int BLOCK = 4096;
    private static final int LARGE = 65536;
    private static final int READS = 10_000;
    private static final int DEPTH = 16;

    private long intact;

    public static void main(String[] args) {
        new Host().run();
    }

    private void run() {
        try (var engine = ProgressEngine.create();
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                var source = MemoryMap.allocate(device, Dpu.SIZE, Access.PCI_READ_ONLY);
                var target = MemoryMap.allocate(device, DEPTH * BLOCK, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                var disk = new BlockClient(
                        engine,
                        device,
                        Dpu.NAME,
                        target,
                        DEPTH,
                        (request, good) -> intact += good ? 1 : 0,
                        Duration.ofSeconds(10))) {
            for (long at = 0; at < Dpu.SIZE; at += Long.BYTES) {
                source.segment().set(ValueLayout.JAVA_LONG, at, at * 0x9e3779b97f4a7c15L);
            }
            long begin = System.nanoTime();
            for (long at = 0; at < Dpu.SIZE; at += LARGE) {
                while (!disk.tryWrite(at, at, source, at, LARGE)) {
                    disk.progress(); // 16 are on their way
                }
            }
            finish(disk);
            report("wrote", Dpu.SIZE / LARGE, LARGE, begin);

            var random = new Random(1);
            long different = 0;
            begin = System.nanoTime();
            for (int i = 0; i < READS; i += DEPTH) { // as many as there is room for at once, then a look at them
                long[] blocks = random.longs(DEPTH, 0, Dpu.SIZE / BLOCK).toArray();
                for (int j = 0; j < DEPTH; j++) {
                    while (!disk.tryRead(j, blocks[j] * BLOCK, (long) j * BLOCK, BLOCK)) {
                        disk.progress();
                    }
                }
                finish(disk);
                for (int j = 0; j < DEPTH; j++) {
                    var there = target.segment().asSlice((long) j * BLOCK, BLOCK);
                    var here = source.segment().asSlice(blocks[j] * BLOCK, BLOCK);
                    different += there.mismatch(here) < 0 ? 0 : 1;
                }
            }
            report("read", READS, BLOCK, begin);
            System.out.println(intact + " requests intact, " + different + " blocks differ");
            if (different > 0) {
                throw new IllegalStateException("the device does not keep what was written");
            }
        }
    }

    private static void finish(BlockClient disk) {
        while (disk.open() > 0) {
            disk.progress();
        }
    }

    private static void report(String done, long requests, int size, long begin) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.println(done + " " + requests + " times " + size + " bytes: "
                + Math.round(requests / seconds) + " requests and "
                + Math.round(requests * size / seconds / 1e6) + " MB a second");
    }
}
