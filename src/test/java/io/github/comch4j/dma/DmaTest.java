package io.github.comch4j.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies of a DMA context, within one process and from memory that the host's side has exported. */
@Timeout(60)
@Needs(Feature.DMA)
class DmaTest extends BothForms {
    private static final long SIZE = 8 << 20;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Machine machine;
    private BufferInventory inventory;
    private MemoryMap source;
    private MemoryMap target;
    private final List<String> ended = new ArrayList<>();
    private final List<String> states = new ArrayList<>();

    @BeforeEach
    void open() {
        machine = new Machine();
        inventory = BufferInventory.create(256);
        source = MemoryMap.allocate(machine.dpu, SIZE, Access.LOCAL_READ_WRITE);
        target = MemoryMap.allocate(machine.dpu, SIZE, Access.LOCAL_READ_WRITE);
        for (long at = 0; at < SIZE; at += Long.BYTES) {
            source.segment().set(ValueLayout.JAVA_LONG, at, at * 0x9e3779b97f4a7c15L);
        }
    }

    @AfterEach
    void close() {
        machine.close();
        inventory.close();
    }

    private DmaContext.Builder builder() {
        return DmaContext.builder(machine.dpu, machine.engine).onStateChanged((dma, next) -> states.add(next.name()));
    }

    private DmaContext recording(int tasks) {
        return builder()
                .tasks(tasks)
                .onCopied((dma, from, to, status) -> ended.add(status + (to.isClosed() ? "" : " " + to.length())))
                .onListCopied((dma, from, to, status) -> ended.add(status + " " + from.size() + ">" + to.size()))
                .start();
    }

    private Buffer from(long offset, long length) {
        return inventory.acquire(source, offset, length);
    }

    private Buffer to(long offset, long length) {
        return inventory.acquireEmpty(target, offset, length);
    }

    private void assertCopied(long from, long to, long length) {
        assertThat(target.segment()
                        .asSlice(to, length)
                        .mismatch(source.segment().asSlice(from, length)))
                .isEqualTo(-1);
    }

    private void until(String what, DmaContext dma, int copies) {
        machine.until(what, () -> dma.copied() + dma.failed() == copies);
    }

    private static void refused(DocaError error, String text, Runnable call) {
        DocaException refusal = catchThrowableOfType(DocaException.class, call::run);
        assertThat(refusal).isNotNull().hasMessageContaining(text);
        assertThat(refusal.error()).isEqualTo(error);
    }

    @Test
    void whatADeviceCan() {
        assertThat(DmaContext.isSupported(machine.dpu)).isTrue();
        assertThat(DmaContext.isSupported(machine.host)).isTrue();
        assertThat(DmaCapabilities.of(machine.dpu)).contains(new DmaCapabilities(2 << 20, 64, 65536));
        machine.host.close();
        assertThatThrownBy(() -> DmaContext.isSupported(machine.host)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> DmaCapabilities.of(machine.host)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theDataGoBehindThoseOfTheDestination() {
        DmaContext dma = recording(2);
        assertThat(dma.state()).isEqualTo(ContextState.RUNNING);
        Buffer to = to(64, 4096).setData(100, 3);
        assertThat(dma.tryCopy(from(8, 1000).setData(10, 500), to)).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(to.isInFlight()).isTrue();
        assertThat(dma.inFlight()).isEqualTo(1);
        until("the copy", dma, 1);
        assertThat(to.position()).isEqualTo(100);
        assertThat(to.length()).isEqualTo(503);
        assertCopied(18, 64 + 103, 500);
        assertThat(ended).containsExactly("SUCCESS 503");
        dma.tryCopy(from(0, 7), to); // with what the last one has left
        until("another", dma, 2);
        assertThat(to.length()).isEqualTo(510);
        assertCopied(0, 64 + 603, 7);
        assertThat(dma.copiedBytes()).isEqualTo(507);
        assertThat(dma.toString()).isEqualTo("DMA on device " + Machine.DPU);
        assertThat(dma.device()).isSameAs(machine.dpu);
        assertThat(dma.engine()).isSameAs(machine.engine);
    }

    @Test
    void anyLengthUpToTheDevicesOwn() {
        DmaContext dma = recording(4);
        Buffer from = from(0, SIZE);
        Buffer to = to(0, SIZE);
        for (long length : new long[] {1, 63, 64, 4096, 2 << 20}) {
            from.setData(length, length);
            to.setData(5, 0);
            dma.tryCopy(from, to);
            machine.until("the copy", () -> dma.inFlight() == 0);
            assertThat(to.length()).isEqualTo(length);
            assertCopied(length, 5, length);
        }
        from.setData(0, (2 << 20) + 1);
        to.clear();
        refused(DocaError.INVALID_VALUE, "takes at most 2097152", () -> dma.tryCopy(from, to));
        assertThat(from.isInFlight() || to.isInFlight()).isFalse();
        assertThat(dma.failed()).isZero();
    }

    @Test
    void manyAreQueuedAndSubmittedTogether() {
        DmaContext dma = recording(100);
        List<Buffer> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(to(i * 128L, 128));
            assertThat(dma.enqueue(from(i * 256L, 100), all.get(i))).isEqualTo(SubmitResult.ACCEPTED);
        }
        assertThat(dma.enqueue(from(0, 1), to(SIZE - 64, 64))).isEqualTo(SubmitResult.NO_TASK);
        assertThat(dma.refused()).isEqualTo(1);
        assertThat(dma.inFlight()).isEqualTo(100);
        assertThat(dma.flush()).isTrue();
        until("all", dma, 100);
        for (int i = 0; i < 100; i++) {
            assertThat(all.get(i).length()).isEqualTo(100);
            assertCopied(i * 256L, i * 128L, 100);
        }
        assertThat(ended).hasSize(100).containsOnly("SUCCESS 100");
    }

    @Test
    void oneSourceMayBeInFlightManyTimesAndADestinationOnce() {
        DmaContext dma = recording(8);
        Buffer from = from(0, 64);
        Buffer to = to(0, 64);
        Buffer other = to(64, 64);
        dma.enqueue(from, to);
        dma.enqueue(from, other);
        assertThatThrownBy(() -> dma.enqueue(from, to))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in flight with DMA on device");
        assertThatThrownBy(() -> dma.enqueue(to, to(128, 64))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> dma.enqueue(to(128, 64), from)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> from.setData(0, 1)).isInstanceOf(IllegalStateException.class);
        Buffer self = from(0, 64);
        assertThatThrownBy(() -> dma.tryCopy(self, self)).isInstanceOf(IllegalStateException.class);
        assertThat(self.isInFlight()).isFalse();
        until("both", dma, 2);
        assertThat(from.isInFlight()).isFalse();
        assertCopied(0, 0, 64);
        assertCopied(0, 64, 64);
        dma.tryCopy(to, other.clear()); // what was a destination may be a source
        until("the third", dma, 3);
        assertCopied(0, 64, 64);
    }

    @Test
    void listsOnEitherSide() {
        DmaContext dma = recording(2);
        BufferList from = BufferList.of(from(0, 10), from(1000, 0x100), from(5000, 34));
        BufferList to = BufferList.of(to(0, 200), to(300, 90), to(400, 100));
        to.get(0).setData(20, 30); // room for 150
        assertThat(dma.tryCopy(from, to)).isEqualTo(SubmitResult.ACCEPTED);
        assertThat(from.isInFlight() && to.isInFlight() && to.get(2).isInFlight())
                .isTrue();
        until("the copy", dma, 1);
        assertThat(to.get(0).length()).isEqualTo(180);
        assertThat(to.get(1).length()).isEqualTo(90);
        assertThat(to.get(2).length()).isEqualTo(60);
        assertCopied(0, 50, 10);
        assertCopied(1000, 60, 140);
        assertCopied(1140, 300, 90);
        assertCopied(1230, 400, 26);
        assertCopied(5000, 426, 34);
        assertThat(dma.copiedBytes()).isEqualTo(300);
        assertThat(ended).containsExactly("SUCCESS 3>3");
        BufferList one = BufferList.of(to(1000, 400));
        dma.enqueue(from, one); // the same list again, to one buffer
        until("another", dma, 2);
        assertThat(one.get(0).length()).isEqualTo(300);
        assertCopied(5000, 1266, 34);
    }

    @Test
    void listsThatAreNone() {
        DmaContext dma = recording(2);
        BufferList one = BufferList.of(from(0, 64));
        BufferList into = BufferList.of(to(0, 64));
        BufferList long65 = BufferList.of();
        for (int i = 0; i < 65; i++) {
            long65.add(from(i * 64L, 64));
        }
        assertThatThrownBy(() -> dma.tryCopy(BufferList.of(), into)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> dma.tryCopy(one, BufferList.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> dma.tryCopy(long65, into))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes at most 64");
        assertThatThrownBy(() -> dma.tryCopy(one, one)).isInstanceOf(IllegalStateException.class);
        assertThat(one.isInFlight() || one.get(0).isInFlight()).isFalse();
        BufferList two = BufferList.of(from(0, 64), from(64, 64));
        refused(DocaError.INVALID_VALUE, "128 bytes, but only 64 are free", () -> dma.tryCopy(two, into));
        assertThat(two.isInFlight() || into.isInFlight() || into.get(0).isInFlight())
                .isFalse();
        dma.copy(one, into);
        assertCopied(0, 0, 64);
        assertThat(dma.inFlight()).isZero();
    }

    @Test
    void whatIsRefusedLeavesEverythingAsItWas() {
        DmaContext dma = recording(1);
        MemoryMap readOnly = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_ONLY);
        MemoryMap others = MemoryMap.allocate(machine.host, 4096, Access.LOCAL_READ_WRITE);
        Buffer from = from(0, 64);
        Buffer full = inventory.acquire(target, 0, 64);
        refused(DocaError.INVALID_VALUE, "64 bytes, but only 0 are free", () -> dma.tryCopy(from, full));
        refused(
                DocaError.NOT_PERMITTED,
                "without LOCAL_READ_WRITE",
                () -> dma.tryCopy(from, inventory.acquireEmpty(readOnly, 0, 64)));
        MemoryMap withoutAccess = MemoryMap.allocate(machine.dpu, 64);
        refused(
                DocaError.NOT_PERMITTED,
                "without LOCAL_READ_WRITE",
                () -> dma.tryCopy(from, inventory.acquireEmpty(withoutAccess, 0, 64)));
        refused(
                DocaError.INVALID_VALUE,
                "not for device " + Machine.DPU,
                () -> dma.enqueue(from, inventory.acquireEmpty(others, 0, 64)));
        refused(
                DocaError.INVALID_VALUE,
                "not for device " + Machine.DPU,
                () -> dma.tryCopy(inventory.acquire(others, 0, 64), full.clear()));
        Buffer closed = from(0, 64);
        closed.close();
        assertThatThrownBy(() -> dma.tryCopy(closed, full)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> dma.tryCopy(from, closed)).isInstanceOf(IllegalStateException.class);
        assertThat(from.isInFlight() || full.isInFlight()).isFalse();
        assertThat(dma.inFlight()).isZero();
        dma.copy(from, full);
        assertCopied(0, 0, 64);
        assertThat(dma.state()).isEqualTo(ContextState.RUNNING);
        readOnly.close();
        others.close();
    }

    @Test
    void buildersCheckAndAreUsedOnce() {
        assertThatThrownBy(() -> builder().tasks(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder().onStateChanged((dma, next) -> {})).isInstanceOf(IllegalStateException.class);
        refused(
                DocaError.INVALID_VALUE,
                "with tasks 65537; device " + Machine.DPU + " takes at most 65536",
                () -> builder().tasks(65537).start());
        DmaContext.Builder used = builder();
        used.start().close();
        assertThatThrownBy(used::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> used.tasks(1)).isInstanceOf(IllegalStateException.class);
        machine.dpu.close();
        assertThatThrownBy(() -> builder().start()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theThreadThatOwnsTheEngineWaits() {
        DmaContext dma = recording(1);
        dma.enqueue(from(0, 100), to(0, 100));
        Buffer to = to(200, 100);
        dma.copy(from(100, 100), to); // the only task is taken: waits for it, too
        assertCopied(0, 0, 100);
        assertCopied(100, 200, 100);
        assertThat(ended).as("of what was waited for nobody is told").hasSize(1);
        assertThat(dma.refused()).as("no refusal").isZero();
        assertThatThrownBy(() -> dma.copy(from(0, 1), to)).isInstanceOf(DocaException.class);
        List<Throwable> thrown = new ArrayList<>();
        DmaContext inside = builder()
                .onCopied((self, a, b, status) -> {
                    try {
                        self.copy(a, b.clear());
                    } catch (IllegalStateException e) {
                        thrown.add(e);
                    }
                })
                .start();
        inside.tryCopy(from(0, 1), to(300, 1));
        until("the copy", inside, 1);
        assertThat(thrown).singleElement().asString().contains("inside a callback");
    }

    @Test
    void anyThreadWaitsWhereALoopHasTheEngine() throws Exception {
        try (EventLoop loop = EventLoop.start("dma")) {
            DmaContext dma = loop.call(() ->
                    DmaContext.builder(machine.dpu, loop.engine()).tasks(2).start());
            List<CompletableFuture<Void>> copies = new ArrayList<>();
            CountDownLatch held = Machine.hold(loop); // all of them come at once
            for (int i = 0; i < 20; i++) {
                Buffer from = from(i * 1000L, 1000);
                Buffer to = to(i * 1000L, 1000);
                copies.add(Machine.onThread(() -> {
                    dma.copy(from, to);
                    return null;
                }));
            }
            held.countDown();
            copies.forEach(CompletableFuture::join);
            assertCopied(0, 0, 20_000);
            assertThat(dma.copied()).isEqualTo(20);
            Buffer full = inventory.acquire(target, 0, 64);
            assertThatThrownBy(() -> dma.copy(from(0, 64), full))
                    .isInstanceOf(DocaException.class)
                    .satisfies(
                            e -> assertThat(e.getSuppressed()).as("who asked").hasSize(1));
            assertThatThrownBy(() -> dma.tryCopy(from(0, 64), to(0, 64))).isInstanceOf(WrongThreadException.class);
            dma.close();
            assertThatThrownBy(() -> dma.copy(from(0, 64), to(0, 64))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closingEndsWhatIsInFlight() {
        DmaContext dma = recording(50);
        Buffer last = null;
        for (int i = 0; i < 50; i++) {
            last = to(i * 64L, 64);
            dma.enqueue(from(0, 64), last);
        }
        Buffer inFlight = last;
        assertThatThrownBy(inFlight::close).isInstanceOf(IllegalStateException.class);
        dma.close();
        assertThat(ended).hasSize(50);
        assertThat(dma.isClosed()).isTrue();
        assertThat(inFlight.isInFlight()).isFalse();
        assertThat(dma.inFlight()).isZero();
        assertThat(dma.copied() + dma.failed()).isEqualTo(50);
        assertThat(states).endsWith("STOPPING", "IDLE");
        for (Consumer<DmaContext> call : List.<Consumer<DmaContext>>of(
                closed -> closed.tryCopy(from(0, 1), inFlight),
                closed -> closed.enqueue(from(0, 1), inFlight),
                closed -> closed.copy(from(0, 1), inFlight),
                DmaContext::flush,
                DmaContext::restart)) {
            assertThatThrownBy(() -> call.accept(dma))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
        dma.close();
    }

    @Test
    void aMapThatIsClosedWaitsForItsCopies() {
        DmaContext dma = recording(4);
        dma.enqueue(from(0, 64), to(0, 64));
        target.close();
        assertThat(ended).containsExactly("SUCCESS");
        assertThat(dma.isClosed()).isFalse();
        machine.dpu.close();
        assertThat(dma.isClosed()).isTrue();
    }

    @Test
    void aHandlerMayClose() {
        DmaContext[] dma = new DmaContext[1];
        dma[0] = builder()
                .onCopied((self, from, to, status) -> {
                    ended.add(status.name());
                    self.close();
                })
                .start();
        dma[0].tryCopy(from(0, 64), to(0, 64));
        machine.until("the end", () -> dma[0].isClosed());
        assertThat(ended).containsExactly("SUCCESS");
    }

    @Test
    void roomIsTold() {
        List<String> told = new ArrayList<>();
        DmaContext dma = builder()
                .tasks(1)
                .onWritable(self -> told.add("room " + self.tryCopy(from(64, 64), to(64, 64))))
                .start();
        dma.tryCopy(from(0, 64), to(0, 64));
        assertThat(dma.tryCopy(from(64, 64), to(128, 64))).isEqualTo(SubmitResult.NO_TASK);
        until("both", dma, 2);
        assertThat(told).containsExactly("room ACCEPTED");
        assertCopied(64, 64, 64);
    }

    @Test
    void theOtherSidesMemoryIsReadAndWritten() {
        MemoryMap exported = MemoryMap.allocate(machine.host, 1 << 20, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        MemorySegment host = exported.segment();
        host.set(ValueLayout.JAVA_LONG, 4096, 42);
        DmaContext dma = recording(4);
        try (MemoryMap imported = MemoryMap.importFrom(machine.dpu, exported.exportPci(machine.host))) {
            Buffer to = to(0, 64);
            dma.copy(inventory.acquire(imported, 4096, 8), to);
            assertThat(to.data().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            dma.copy(from(128, 1000), inventory.acquireEmpty(imported, 8192, 1000));
            assertThat(host.asSlice(8192, 1000).mismatch(source.segment().asSlice(128, 1000)))
                    .isEqualTo(-1);
        }
        exported.close();
    }

    @Test
    void theHostReadsTheDpusMemory() {
        try (MemoryMap exported = MemoryMap.allocate(machine.dpu, 64, Access.PCI_READ_ONLY);
                MemoryMap room = MemoryMap.allocate(machine.host, 64, Access.LOCAL_READ_WRITE);
                DmaContext dma = DmaContext.builder(machine.host, machine.engine)
                        .tasks(1)
                        .start();
                MemoryMap imported = MemoryMap.importFrom(machine.host, exported.exportPci(machine.dpu))) {
            exported.segment().set(ValueLayout.JAVA_LONG, 8, 42);
            dma.copy(inventory.acquire(imported, 8, 8), inventory.acquireEmpty(room, 0, 8));
            assertThat(room.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        }
    }

    @Test
    void aCopyOfNothingFails() {
        DmaContext dma = recording(1);
        refused(
                DocaError.IO_FAILED,
                "copying with DMA on device",
                () -> dma.copy(from(0, 64).clear(), to(0, 64)));
        machine.until("the stop", () -> dma.state() == ContextState.IDLE);
    }

    /** What the device finds out stops the context: memory that its exporter lets nobody write. */
    @Test
    void aCopyThatFailsStopsTheContext() {
        MemoryMap exported = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_ONLY);
        DmaContext dma = recording(8);
        try (MemoryMap imported = MemoryMap.importFrom(machine.dpu, exported.exportPci(machine.host))) {
            dma.enqueue(from(0, 64), inventory.acquireEmpty(imported, 0, 64));
            dma.enqueue(from(0, 64), to(0, 64));
            machine.until("the stop", () -> dma.state() == ContextState.IDLE);
            assertThat(ended).containsExactly("IO_FAILED 0", "IO_FAILED 0");
            assertThat(dma.failed()).isEqualTo(2);
            assertThatThrownBy(() -> dma.tryCopy(from(0, 64), to(0, 64)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("restart()");
            assertThat(states).containsExactly("RUNNING", "STOPPING", "IDLE");
            dma.restart();
            dma.restart(); // it runs
            dma.copy(from(0, 64), to(0, 64));
            assertCopied(0, 0, 64);
            refused(
                    DocaError.IO_FAILED,
                    "copying with DMA on device",
                    () -> dma.copy(from(0, 64), inventory.acquireEmpty(imported, 0, 64)));
        }
        exported.close();
    }

    @Test
    void withoutAHandlerProgressThrowsForTheFirstOfARow() {
        MemoryMap exported = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_ONLY);
        DmaContext dma = builder().start();
        try (MemoryMap imported = MemoryMap.importFrom(machine.dpu, exported.exportPci(machine.host))) {
            for (int i = 0; i < 3; i++) {
                dma.tryCopy(from(0, 64), inventory.acquireEmpty(imported, 0, 64));
            }
            refused(DocaError.IO_FAILED, "copying with DMA on device", () -> until("a failure", dma, 3));
            machine.until("the stop", () -> dma.state() == ContextState.IDLE);
            assertThat(dma.failed()).isEqualTo(3);
        }
        exported.close();
    }

    @Test
    void copyingAllocatesNothing() {
        long[] copies = new long[1];
        DmaContext dma = builder()
                .tasks(4)
                .onCopied((self, from, to, status) -> copies[0]++)
                .onListCopied((self, from, to, status) -> copies[0]++)
                .start();
        Buffer[] from = new Buffer[4];
        Buffer[] to = new Buffer[4];
        for (int i = 0; i < 4; i++) {
            from[i] = from(0, 4096);
            to[i] = to(i * 4096L, 4096);
        }
        BufferList fromList = BufferList.of(from(0, 100), from(200, 100));
        BufferList toList = BufferList.of(to(SIZE - 200, 50), to(SIZE - 100, 100), to(SIZE - 400, 100));
        Runnable round = () -> {
            for (int i = 0; i < 3; i++) {
                from[i].setData(copies[0] & 0x3f, 64);
                to[i].clear();
                if (i == 0) {
                    dma.tryCopy(from[i], to[i]);
                } else {
                    dma.enqueue(from[i], to[i]);
                }
            }
            for (int i = 0; i < 3; i++) {
                toList.get(i).clear();
            }
            dma.enqueue(fromList, toList);
            long goal = copies[0] + 4;
            while (copies[0] < goal) {
                machine.engine.progress(64);
            }
        };
        for (int i = 0; i < 20_000; i++) {
            round.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 20_000; i++) {
            round.run();
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(copies[0]).isEqualTo(160_000);
        assertThat(allocated / 80_000.0).as("bytes per copy").isLessThan(1);
    }

    @Test
    void anotherThreadMayNot() throws Exception {
        DmaContext dma = recording(1);
        Buffer from = from(0, 1);
        Buffer to = to(0, 1);
        List<Runnable> calls = List.of(
                () -> dma.tryCopy(from, to),
                () -> dma.enqueue(BufferList.of(from), BufferList.of(to)),
                () -> dma.copy(from, to),
                dma::flush,
                dma::restart,
                dma::close,
                () -> builder().start());
        for (Runnable call : calls) {
            assertThatThrownBy(() -> Machine.onThread(() -> {
                                call.run();
                                return null;
                            })
                            .join())
                    .hasCauseInstanceOf(WrongThreadException.class);
        }
        assertThat(dma.inFlight()).isZero();
        ProgressEngine other = ProgressEngine.create();
        DmaContext second = DmaContext.builder(machine.host, other).start();
        other.close();
        assertThat(second.isClosed()).isTrue();
    }
}
