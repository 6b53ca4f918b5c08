package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads, completions, launches, sync events and what else a DPA has, with kernels in C. */
@Timeout(60)
@Needs(Feature.DPA)
class DpaObjectsTest extends DpaScene {
    // struct shared of program.c
    private static final int RUNS = 0;
    private static final int NEXT = 2;
    private static final int STORAGE = 3;
    private static final int RANK = 4;
    private static final int SIZE = 5;

    private DpaMemory words(long... values) {
        DpaMemory memory = dpa.allocate(64).fill((byte) 0);
        memory.write(0, MemorySegment.ofArray(values));
        return memory;
    }

    private static long word(DpaMemory memory, int index) {
        long[] value = new long[1];
        memory.read(8L * index, MemorySegment.ofArray(value));
        return value[0];
    }

    private static void put(DpaMemory memory, int index, long value) {
        memory.write(8L * index, MemorySegment.ofArray(new long[] {value}));
    }

    private void until(String what, java.util.function.BooleanSupplier done) {
        machine.until(what, done);
    }

    private DpaThread counting(DpaMemory shared) {
        return dpa.thread(program.function("count_runs"))
                .argument(shared.address())
                .start();
    }

    @Test
    void aThreadRunsOnceForEachNotification() {
        DpaMemory shared = words(0, 3);
        DpaThread thread = counting(shared);
        DpaNotification waker = dpa.notification(thread);
        assertThat(thread.isStarted()).isTrue();
        assertThat(thread.kernel().name()).isEqualTo("count_runs");
        assertThat(waker.thread()).isSameAs(thread);
        dpa.rpc(program.function("notify"), waker.handle());
        assertThat(word(shared, RUNS)).as("it is not let run").isZero();
        thread.run();
        until("the run", () -> word(shared, RUNS) == 1);
        dpa.rpc(program.function("notify"), waker.handle());
        until("another run", () -> word(shared, RUNS) == 2);
        thread.stop();
        thread.stop();
        assertThat(thread.isStarted()).isFalse();
        dpa.rpc(program.function("notify"), waker.handle());
        assertThat(word(shared, RUNS)).isEqualTo(2);
        assertRefused(DocaError.BAD_STATE, thread::run);
        assertRefused(DocaError.BAD_STATE, thread::id);
        assertThat(dpa.lastError()).isNull();
        thread.close();
        assertThat(waker.isClosed()).as("what names the thread").isTrue();
        assertThatThrownBy(thread::run).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(thread::stop).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> dpa.notification(thread)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void threadsWakeEachOther() {
        DpaMemory last = words(0, 0);
        DpaThread second = counting(last);
        DpaNotification waker = dpa.notification(second);
        DpaMemory first = words(0, 0);
        put(first, NEXT, waker.handle());
        DpaThread thread = counting(first);
        DpaNotification start = dpa.notification(thread);
        thread.run();
        second.run();
        assertThat(thread.id()).isNotEqualTo(second.id());
        dpa.rpc(program.function("notify"), start.handle());
        until("the second thread", () -> word(last, RUNS) == 1);
    }

    @Test
    void aGroupsThreadsKnowTheirRanks() {
        DpaMemory storage = dpa.allocate(8);
        List<DpaMemory> shared =
                IntStream.range(0, 3).mapToObj(i -> words(0, 1)).toList();
        DpaThread[] threads = shared.stream()
                .map(memory -> dpa.thread(program.function("count_runs"))
                        .argument(memory.address())
                        .localStorage(storage)
                        .unit(17)
                        .start())
                .toArray(DpaThread[]::new);
        DpaThreadGroup group = dpa.group(threads);
        assertThat(group.threads()).containsExactly(threads);
        Stream.of(threads).forEach(DpaThread::run);
        Stream.of(threads).map(dpa::notification).forEach(waker -> dpa.rpc(program.function("notify"), waker.handle()));
        for (int rank = 0; rank < threads.length; rank++) {
            DpaMemory memory = shared.get(rank);
            until("its run", () -> word(memory, RUNS) == 1);
            assertThat(word(memory, RANK)).isEqualTo(rank);
            assertThat(word(memory, SIZE)).isEqualTo(threads.length);
            assertThat(word(memory, STORAGE)).isEqualTo(storage.address());
        }
        storage.close();
        assertThat(threads).as("have the storage").allMatch(DpaThread::isClosed);
        assertThat(group.isClosed()).isTrue();
        assertThatThrownBy(() -> dpa.group()).isInstanceOf(IllegalArgumentException.class);
        DpaFunction kernel = program.function("count_runs");
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> dpa.thread(kernel).unit(Integer.MAX_VALUE).start());
        assertThatThrownBy(() -> dpa.thread(kernel).unit(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** It polls until it is told to end: while it runs, it cannot be closed, and nothing is lost by trying. */
    @Test
    void aKernelThatDoesNotEndKeepsItsThread() {
        DpaMemory flags = words(0, 0);
        DpaThread thread = dpa.thread(program.function("poll_for_ever"))
                .argument(flags.address())
                .start();
        DpaNotification waker = dpa.notification(thread);
        thread.run();
        dpa.rpc(program.function("notify"), waker.handle());
        until("its run", () -> word(flags, 1) == 1);
        assertRefused(DocaError.DRIVER, thread::stop);
        assertThat(thread.isStarted()).isTrue();
        assertRefused(DocaError.DRIVER, dpa::close);
        assertThat(dpa.isClosed()).isFalse();
        assertThat(thread.isClosed() || waker.isClosed() || flags.isClosed())
                .as("what the kernel may use")
                .isFalse();
        put(flags, 0, 1);
        dpa.close();
        assertThat(thread.isClosed()).isTrue();
    }

    @Test
    void completionsAndOperations() {
        DpaCompletion completion = dpa.completion(5);
        assertThat(completion.size()).isEqualTo(8);
        assertThat(completion.handle()).isNotZero();
        DpaAsyncOps ops = dpa.asyncOps(completion, 3, 0xabcdef);
        assertThat(ops.size()).isEqualTo(4);
        assertThat(ops.completion()).isSameAs(completion);
        assertThat(ops.handle()).isNotZero();
        assertThatThrownBy(() -> dpa.asyncOps(completion, 3, 1 << 24)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> dpa.asyncOps(completion, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> dpa.completion(0)).isInstanceOf(IllegalArgumentException.class);
        assertRefused(DocaError.IN_USE, completion::stop);
        ops.stop();
        assertRefused(DocaError.BAD_STATE, ops::handle);
        ops.close();
        completion.stop();
        assertRefused(DocaError.BAD_STATE, completion::handle);
        completion.close();
        DpaThread thread = counting(words());
        try (DpaCompletion waking = dpa.completion(1, thread);
                DpaConsumerCompletion consumers = dpa.consumerCompletion()
                        .consumers(2)
                        .receives(3)
                        .immediateLength(40)
                        .thread(thread)
                        .start()) {
            assertThat(waking.handle()).isNotEqualTo(consumers.handle());
            assertThat(consumers.immediateLength()).isEqualTo(40);
            thread.close();
            assertThat(waking.isClosed() && consumers.isClosed()).isTrue();
        }
        DpaThread stopped = counting(words());
        stopped.stop();
        assertRefused(DocaError.BAD_STATE, () -> dpa.completion(1, stopped));
        assertThatThrownBy(() -> dpa.consumerCompletion().consumers(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void kernelsUseAHashTable() {
        try (DpaHashTable table = dpa.hashTable(10)) {
            assertThat(dpa.rpc(program.function("use_table"), table.handle(), 10, 0))
                    .isEqualTo(100 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
        }
        assertThatThrownBy(() -> dpa.hashTable(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void aLaunchRunsOnAllItsThreadsAtOnce() throws InterruptedException {
        int threads = 5;
        DpaMemory memory = words();
        try (DpaLaunch launch =
                dpa.launch(program.function("meet")).threads(threads).launch(memory.address(), threads)) {
            assertThat(launch.kernel().name()).isEqualTo("meet");
            assertThat(launch.await(Machine.PATIENCE)).isTrue();
            assertThat(launch.isDone()).isTrue();
            for (int rank = 0; rank < threads; rank++) {
                assertThat(word(memory, 1 + rank)).isEqualTo(threads * 1000 + rank);
            }
        }
        assertThatThrownBy(() -> dpa.launch(program.function("meet")).threads(0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> dpa.launch(program.function("meet")).launch(new long[17]))
                .isInstanceOf(IllegalArgumentException.class);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> dpa.launch(program.function("meet")).threads(1 << 20).launch(memory.address(), 1));
    }

    @Test
    void aLaunchThatWaitsIsNotDone() throws InterruptedException {
        SyncEvent start = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        DpaMemory memory = words();
        DpaLaunch launch = dpa.launch(program.function("meet")).after(start, 1).launch(memory.address(), 1);
        assertThat(launch.await(Duration.ofMillis(1))).isFalse();
        assertThat(launch.isDone()).isFalse();
        assertRefused(DocaError.IN_USE, launch::close);
        start.set(1);
        assertThat(launch.await(Duration.ofMillis(1))).as("not greater than 1").isFalse();
        assertThat(start.add(1)).isEqualTo(1);
        assertThat(launch.await(Machine.PATIENCE)).isTrue();
        launch.close();
        assertThatThrownBy(launch::isDone).isInstanceOf(IllegalStateException.class);
    }

    /** A kernel that waits uses memory that is older than its launch. */
    @Test
    void nothingIsClosedUnderALaunchThatHasNotEnded() {
        SyncEvent start = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        DpaMemory memory = words();
        SyncEvent ended = dpa.syncEvent().publishedByDpa().awaitedByCpu().start();
        dpa.launch(program.function("answer")).launchAndSet(ended, 1, start.handle(), start.handle());
        assertRefused(DocaError.IN_USE, dpa::close);
        assertThat(memory.isClosed()).isFalse();
        assertThat(start.isClosed()).isFalse();
        start.set(5);
        dpa.close();
        assertThat(memory.isClosed()).isTrue();
    }

    @Test
    void kernelsAnswerThroughSyncEvents() throws Exception {
        SyncEvent question = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        SyncEvent reply =
                dpa.syncEvent().publishedByDpa().awaitedByCpu().awaitedByDpa().start();
        SyncEvent ended = dpa.syncEvent().publishedByDpa().awaitedByCpu().start();
        dpa.launch(program.function("answer")).launchAndAdd(ended, 3, question.handle(), reply.handle());
        CompletableFuture<Boolean> answered = Machine.onThread(() -> reply.awaitEqual(107, Machine.PATIENCE));
        question.set(7);
        assertThat(answered.get()).isTrue();
        assertThat(ended.awaitGreater(2, Machine.PATIENCE)).isTrue();
        assertThat(ended.value()).isEqualTo(3);
        dpa.launch(program.function("meet")).launchAndSet(ended, -1L, words().address(), 1);
        assertThat(ended.awaitGreater(3, Machine.PATIENCE)).as("unsigned").isTrue();
        assertThat(ended.awaitEqual(5, Duration.ZERO)).isFalse();
        assertRefused(DocaError.INVALID_VALUE, () -> dpa.syncEvent().start());
        assertThatThrownBy(() -> ended.awaitEqual(5, null)).isInstanceOf(NullPointerException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ended.awaitEqual(5, Machine.PATIENCE)).isInstanceOf(InterruptedException.class);
        CompletableFuture<Boolean> closed = Machine.onThread(() -> question.awaitEqual(1, Machine.PATIENCE));
        question.close();
        assertThatThrownBy(closed::get).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void cpuAndKernelsChangeAndAwaitAnyEvent() throws InterruptedException {
        SyncEvent event = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        SyncEvent ended = dpa.syncEvent().publishedByDpa().awaitedByCpu().start();
        dpa.launch(program.function("answer")).launchAndAdd(event, 1000, event.handle(), event.handle());
        event.set(7);
        assertThat(event.awaitGreater(1000, Machine.PATIENCE)).isTrue();
        assertThat(event.value()).isEqualTo(1107);
        ended.set(2);
        dpa.launch(program.function("meet")).after(ended, 1).launchAndAdd(ended, 3, words().address(), 1);
        assertThat(ended.awaitEqual(5, Machine.PATIENCE)).isTrue();
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void anExtendedDpaIsAnotherFunctionsAndEndsWithItsBase() {
        try (var function = Device.openHost(io.github.comch4j.core.PciAddress.of("0000:b1:00.2"))) {
            assertThat(Dpa.isSupported(function)).as("by extending").isTrue();
            assertRefused(DocaError.NOT_SUPPORTED, () -> Dpa.builder(function).start());
            Dpa extended = dpa.extend(function);
            assertThat(extended.application()).isSameAs(program);
            assertThat(extended.device()).isSameAs(function);
            assertThat(extended.handle()).isNotEqualTo(dpa.handle());
            DpaCompletion completion = extended.completion(1);
            DpaFunction use = program.function("use_completion_of");
            assertThat(dpa.rpc(use, extended.handle(), completion.handle())).isZero();
            assertThat(dpa.lastError()).isNull();
            DpaMemory memory = extended.allocate(8);
            dpa.close();
            assertThat(extended.isClosed()).isTrue();
            assertThat(completion.isClosed()).isTrue();
            assertThat(memory.isClosed()).isTrue();
        }
        assertThatThrownBy(() -> dpa.extend(machine.dpu)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void eachBuilderMakesOneObject() {
        DpaFunction kernel = program.function("count_runs");
        Dpa.Builder dpas = Dpa.builder(machine.host);
        dpas.start().close();
        DpaMemory memory = dpa.allocate(8);
        DpaThread.Builder threads = dpa.thread(kernel);
        DpaThread thread = threads.start();
        DpaConsumerCompletion.Builder completions = dpa.consumerCompletion();
        completions.start();
        SyncEvent.Builder events = dpa.syncEvent().publishedByDpa().awaitedByDpa();
        SyncEvent event = events.start();
        DpaLaunch.Builder launches = dpa.launch(kernel);
        launches.launchAndSet(event, 1, words().address());
        MessageQueue queue = MessageQueue.toDpa(dpa);
        MessageQueue fromDpa = MessageQueue.fromDpa(dpa);
        MessageQueueProducer.Builder producers = queue.producer(machine.engine);
        producers.start();
        MessageQueueConsumer.Builder consumers = fromDpa.consumer(machine.engine);
        consumers.start();
        Stream<ThrowingCallable> calls = Stream.of(
                () -> dpas.application(program),
                () -> dpas.logLevel(Level.INFO),
                () -> dpas.logFile(program.library()),
                () -> dpas.traceFile(program.library()),
                dpas::start,
                () -> threads.argument(1),
                () -> threads.localStorage(memory),
                () -> threads.unit(0),
                threads::start,
                () -> completions.consumers(1),
                () -> completions.receives(1),
                () -> completions.immediateLength(1),
                () -> completions.thread(thread),
                completions::start,
                events::publishedByCpu,
                events::publishedByDpa,
                events::awaitedByCpu,
                events::awaitedByDpa,
                events::start,
                () -> launches.threads(1),
                () -> launches.after(event, 1),
                launches::launch,
                () -> launches.launchAndSet(event, 1),
                () -> launches.launchAndAdd(event, 1),
                () -> producers.tasks(1),
                () -> producers.messageLength(1),
                () -> producers.onWritable(producer -> {}),
                () -> producers.onSendFailed((producer, status) -> {}),
                producers::start,
                () -> consumers.receives(1),
                () -> consumers.immediateLength(1),
                () -> consumers.onMessage((consumer, producer, message) -> {}),
                consumers::start);
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Builder on ")
                        .hasMessageContaining("has been used"));
    }
}
