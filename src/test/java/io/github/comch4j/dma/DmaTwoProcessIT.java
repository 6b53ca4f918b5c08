package io.github.comch4j.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Child;
import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process on the host exports its memory over Comch, and this one, on the DPU, copies from it and to it. */
@Timeout(120)
@Needs(Feature.DMA)
class DmaTwoProcessIT extends BothForms {
    private static final int SIZE = 8 << 20;
    private static final int PIECE = 64 << 10;
    private static final int DEPTH = 32;

    private final List<DocaError> failures = new ArrayList<>();
    private Machine machine;
    private BufferInventory inventory;
    private MemoryMap mine;
    private MemoryMap theirs;
    private Child child;

    @BeforeEach
    void open() {
        machine = new Machine();
        inventory = BufferInventory.create(256);
        mine = MemoryMap.allocate(machine.dpu, SIZE, Access.LOCAL_READ_WRITE);
    }

    @AfterEach
    void close() {
        if (child != null) {
            child.close();
        }
        machine.close();
        inventory.close();
    }

    private void importFrom(Access... access) {
        byte[][] descriptor = new byte[1][];
        machine.server()
                .onMessage((connection, message) -> descriptor[0] = message.toArray(ValueLayout.JAVA_BYTE))
                .start();
        String[] arguments = Stream.concat(
                        Stream.of(machine.name, Integer.toString(SIZE)),
                        Arrays.stream(access).map(Access::name))
                .toArray(String[]::new);
        Map<String, String> environment = new HashMap<>(Map.of("DOCA_EMU_SIDE", "host"));
        child = Child.start(HostMemory.class, List.of(), environment, arguments);
        machine.until("the descriptor", () -> descriptor[0] != null);
        assertThat(child.line()).isEqualTo("exported");
        theirs = MemoryMap.importFrom(machine.dpu, descriptor[0]);
    }

    private String ask(String line) {
        child.writeLine(line);
        return child.line();
    }

    /** From one map to the other in pieces, many in flight. */
    private void copyAll(MemoryMap from, MemoryMap to, long begin, long end) {
        Deque<Buffer[]> free = new ArrayDeque<>();
        for (int i = 0; i < DEPTH; i++) {
            free.add(new Buffer[] {inventory.acquire(from, 0, SIZE), inventory.acquireEmpty(to, 0, SIZE)});
        }
        List<Buffer[]> all = List.copyOf(free);
        DmaContext dma = DmaContext.builder(machine.dpu, machine.engine)
                .tasks(DEPTH)
                .onCopied((self, source, destination, status) -> {
                    assertThat(status).isEqualTo(DocaError.SUCCESS);
                    assertThat(destination.length()).isEqualTo(PIECE);
                    free.add(new Buffer[] {source, destination});
                })
                .start();
        for (long at = begin; at < end; at += PIECE) {
            machine.until("a pair of buffers", () -> !free.isEmpty());
            Buffer[] pair = free.remove();
            assertThat(dma.enqueue(pair[0].setData(at, PIECE), pair[1].setData(at, 0))
                            .accepted())
                    .isTrue();
        }
        machine.until("the last one", () -> dma.inFlight() == 0);
        assertThat(dma.copiedBytes()).isEqualTo(end - begin);
        dma.close();
        all.forEach(pair -> {
            pair[0].close();
            pair[1].close();
        });
    }

    @Test
    void bothWays() {
        importFrom(Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        copyAll(theirs, mine, 0, SIZE);
        assertThat(HostMemory.sum(mine.segment())).isEqualTo(ask("0 " + SIZE));
        for (long at = 0; at < SIZE; at += Long.BYTES) {
            mine.segment().set(ValueLayout.JAVA_LONG, at, ~at);
        }
        String before = ask("0 " + SIZE / 2);
        copyAll(mine, theirs, SIZE / 2, SIZE);
        assertThat(ask(SIZE / 2 + " " + SIZE / 2))
                .isEqualTo(HostMemory.sum(mine.segment().asSlice(SIZE / 2)));
        assertThat(ask("0 " + SIZE / 2)).as("what was not written").isEqualTo(before);
    }

    /** Copies until one fails. Returns how many have succeeded. */
    private long copyUntilFailure(DmaContext dma) {
        Buffer from = inventory.acquire(theirs, 0, 2 << 20);
        while (dma.state() == ContextState.RUNNING) {
            dma.enqueue(from, inventory.acquireEmpty(mine, 0, 2 << 20));
            machine.engine.progress();
        }
        machine.until("the stop", () -> dma.state() == ContextState.IDLE);
        return dma.copied();
    }

    private DmaContext recording() {
        return DmaContext.builder(machine.dpu, machine.engine)
                .tasks(DEPTH)
                .onCopied((self, from, to, status) -> {
                    if (status != DocaError.SUCCESS) {
                        assertThat(to.length()).isZero();
                        failures.add(status);
                    }
                    to.close();
                })
                .start();
    }

    private void assertItGoesOn(DmaContext dma) {
        assertThat(failures).isNotEmpty().containsOnly(DocaError.IO_FAILED);
        assertThat(dma.inFlight()).isZero();
        dma.restart();
        Buffer from = inventory.acquire(mine, 0, 64);
        Buffer to = inventory.acquireEmpty(mine, 4096, 64);
        dma.copy(from, to);
        assertThat(to.length()).isEqualTo(64);
        assertThatThrownBy(() -> dma.copy(inventory.acquire(theirs, 0, 64), to.clear()))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.IO_FAILED));
        theirs.close();
        dma.close();
    }

    @Test
    void anExporterThatIsKilledInTheMiddle() {
        importFrom(Access.PCI_READ_ONLY);
        DmaContext dma = recording();
        CompletableFuture<Void> killer = new CompletableFuture<>();
        Buffer first = inventory.acquireEmpty(mine, 0, 64);
        dma.copy(inventory.acquire(theirs, 0, 64), first);
        var _ = Machine.onThread(() -> {
            child.kill();
            return killer.complete(null);
        });
        copyUntilFailure(dma);
        killer.join();
        assertItGoesOn(dma);
    }

    @Test
    void anExporterThatClosesItsMap() {
        importFrom(Access.PCI_READ_WRITE, Access.LOCAL_READ_WRITE);
        DmaContext dma = recording();
        dma.copy(inventory.acquire(theirs, 0, 64), inventory.acquireEmpty(mine, 0, 64));
        assertThat(ask("close")).isEqualTo("closed");
        assertThat(copyUntilFailure(dma)).isEqualTo(1);
        assertItGoesOn(dma);
    }

    @Test
    void anExporterThatLetsNobodyWrite() {
        importFrom(Access.PCI_READ_ONLY);
        DmaContext dma = recording();
        String before = ask("0 " + SIZE);
        dma.enqueue(inventory.acquire(mine, 0, 64), inventory.acquireEmpty(theirs, 0, 64));
        machine.until("the stop", () -> dma.state() == ContextState.IDLE);
        assertThat(failures).containsExactly(DocaError.IO_FAILED);
        assertThat(ask("0 " + SIZE)).isEqualTo(before);
    }

    /** On demand: the third copy from the start, which a process is told by its environment alone. */
    @Test
    void aFaultOnDemand() {
        try (Child faulty = Child.start(
                Faulty.class,
                List.of("-D" + Doca.BATCH_PROPERTY + "=" + batched),
                Map.of("DOCA_EMU_FAULTS", "fail_dma=3:IO_FAILED"))) {
            assertThat(faulty.rest().lines())
                    .containsExactly("SUCCESS", "SUCCESS", "IO_FAILED", "IO_FAILED", "IDLE", "RUNNING", "SUCCESS");
            assertThat(faulty.exitCode()).isZero();
        }
    }

    /** Runs in a process of its own: four copies at once, and one after a restart. */
    static final class Faulty {
        private Faulty() {}

        public static void main(String[] arguments) {
            Machine.useEmulation();
            try (Machine machine = new Machine();
                    MemoryMap memory = MemoryMap.allocate(machine.dpu, 4096, Access.LOCAL_READ_WRITE);
                    BufferInventory inventory = BufferInventory.create(16)) {
                DmaContext dma = DmaContext.builder(machine.dpu, machine.engine)
                        .onCopied((self, from, to, status) -> System.out.println(status))
                        .start();
                for (int i = 0; i < 4; i++) {
                    dma.enqueue(inventory.acquire(memory, 0, 64), inventory.acquireEmpty(memory, 64L + i * 64L, 64));
                }
                machine.until("the stop", () -> dma.state() == ContextState.IDLE);
                System.out.println(dma.state());
                dma.restart();
                System.out.println(dma.state());
                dma.tryCopy(inventory.acquire(memory, 0, 64), inventory.acquireEmpty(memory, 1024, 64));
                machine.until("the copy", () -> dma.copied() == 3);
            }
        }
    }
}
