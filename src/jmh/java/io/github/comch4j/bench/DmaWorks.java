package io.github.comch4j.bench;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.dma.DmaContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies by DMA; the same as {@code dma.c}. */
final class DmaWorks {
    private static final long LARGEST_PIECE = 2 << 20;
    private static final long LARGEST_POOL = 64 << 20;
    private static final int ROUNDS = 1 << 16; // of a progress, at most

    private final MemoryMap source;
    private final MemoryMap target;
    private final Piece[] free; // a stack
    private int numFree;
    private final Piece[] inFlight; // in the order of the submits, in which they end on the emulated device
    private int ended; // of these
    private final long length; // of a piece
    private long copied;
    private long checked;

    /** What a task copies. */
    private static final class Piece {
        private final Buffer from;
        private final Buffer to;
        private byte stamp;

        Piece(Buffer from, Buffer to) {
            this.from = from;
            this.to = to;
        }
    }

    private DmaWorks(Device device, long length, int pieces) {
        long pool = Math.min(length * pieces, LARGEST_POOL);
        this.length = length;
        source = MemoryMap.allocate(device, pool, Access.LOCAL_READ_WRITE);
        target = MemoryMap.allocate(device, pool, Access.LOCAL_READ_WRITE);
        free = new Piece[pieces];
        inFlight = new Piece[pieces];
    }

    static void run(Options options) {
        long length = Math.min(options.size(), LARGEST_PIECE);
        int perCopy = (int) ((options.size() + length - 1) / length);
        int pieces = options.depth() * perCopy;
        try (Device device = Device.openDpu(PciAddress.of(options.dpu()));
                ProgressEngine engine = ProgressEngine.create();
                BufferInventory inventory = BufferInventory.create(2 * pieces)) {
            new DmaWorks(device, length, pieces).measure(options, device, engine, inventory, perCopy);
        }
    }

    private void measure(
            Options options, Device device, ProgressEngine engine, BufferInventory inventory, int perCopy) {
        MemorySegment from = source.segment();
        MemorySegment to = target.segment();
        for (int i = 0; i < free.length; i++) {
            long at = i * length % source.size();
            free[numFree++] =
                    new Piece(inventory.acquire(source, at, length), inventory.acquireEmpty(target, at, length));
        }
        DmaContext dma = DmaContext.builder(device, engine)
                .tasks(free.length)
                .onCopied((self, a, b, status) -> copied(to, b, status))
                .start();
        Window window = new Window(options);
        int mask = length > 65536 ? 0 : Window.TURNS_PER_LOOK - 1;
        for (int turn = 1; ; turn++) {
            submitAll(dma, from);
            engine.progress(ROUNDS);
            if ((turn & mask) == 0 && window.look(copied / perCopy, 0)) {
                break;
            }
        }
        window.report(options, "dma", checked);
    }

    private void submitAll(DmaContext dma, MemorySegment from) {
        ended = 0;
        for (int left = numFree; left > 0; left--) {
            Piece piece = free[left - 1];
            inFlight[numFree - left] = piece;
            from.set(ValueLayout.JAVA_BYTE, piece.from.offset(), ++piece.stamp);
            piece.to.clear();
            dma.enqueue(piece.from, piece.to);
        }
        numFree = 0;
    }

    private void copied(MemorySegment to, Buffer destination, DocaError status) {
        Piece piece = inFlight[ended++];
        if (status != DocaError.SUCCESS
                || piece.to != destination
                || to.get(ValueLayout.JAVA_BYTE, destination.offset()) != piece.stamp) {
            throw new IllegalStateException("a copy brought something else: " + status);
        }
        copied++;
        checked++;
        free[numFree++] = piece;
    }
}
