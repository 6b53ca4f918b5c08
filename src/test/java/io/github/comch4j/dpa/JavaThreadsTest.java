package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.CompletionType;
import io.github.comch4j.emulator.DpaKernel;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.emulator.KernelCopy;
import io.github.comch4j.emulator.KernelEnd;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kernels in Java of threads and of launches: when they run, how they end, and what else they can call. */
@Needs(Feature.DPA)
@Timeout(60)
class JavaThreadsTest {
    static {
        Machine.useEmulation();
    }

    private final Device device = Device.openHost(Machine.HOST);
    private final Dpa dpa = Dpa.builder(device).start();
    private final JavaKernels kernels = JavaKernels.of(dpa);
    private final DpaFunction notify = kernels.rpc("notify", (context, arguments) -> {
        context.notifyThread(arguments[0]);
        return 0;
    });

    @AfterEach
    void end() {
        dpa.close();
        device.close();
    }

    private static void until(BooleanSupplier condition) {
        Machine.until("what a kernel does", condition, new ProgressEngine[0]);
    }

    private DpaNotification run(DpaThread thread) {
        thread.run();
        return dpa.notification(thread);
    }

    private void wake(DpaNotification waker) {
        assertThat(dpa.rpc(notify, waker.handle())).isZero();
    }

    @Test
    void aThreadRunsOnceForEachNotificationUntilItFinishes() {
        AtomicLong runs = new AtomicLong();
        DpaFunction kernel = kernels.thread("three times", (context, argument) -> {
            assertThat(argument).isEqualTo(-5);
            assertThat(context.numThreads()).isEqualTo(1);
            return runs.incrementAndGet() < 3 ? KernelEnd.RESCHEDULE : KernelEnd.FINISH;
        });
        DpaThread thread = dpa.thread(kernel).argument(-5).start();
        DpaNotification waker = run(thread);
        for (long i = 1; i <= 3; i++) {
            long expected = i;
            wake(waker);
            until(() -> runs.get() == expected);
        }
        wake(waker);
        waker.close();
        thread.close();
        assertThat(runs).hasValue(3);
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void aThreadWhoseKernelThrowsHasFinishedAndOthersGoOn() {
        AtomicLong failing = new AtomicLong();
        AtomicLong going = new AtomicLong();
        DpaNotification bad = run(dpa.thread(kernels.thread("bad", (context, argument) -> {
                    failing.incrementAndGet();
                    throw new UnsupportedOperationException("not yet");
                }))
                .start());
        DpaNotification none = run(dpa.thread(kernels.thread("none", (context, argument) -> {
                    failing.incrementAndGet();
                    return null; // is no end
                }))
                .start());
        DpaNotification good = run(dpa.thread(kernels.thread("good", (context, argument) -> {
                    going.incrementAndGet();
                    return KernelEnd.RESCHEDULE;
                }))
                .start());
        for (int i = 1; i <= 3; i++) {
            long expected = i;
            wake(bad);
            wake(none);
            wake(good);
            until(() -> going.get() == expected);
        }
        bad.close();
        none.close();
        until(() -> failing.get() == 2);
        until(() -> dpa.lastError() != null); // that a kernel has thrown is known after it has counted
        dpa.close();
        assertThat(failing).hasValue(2);
    }

    @Test
    void aThreadWithStorage() {
        AtomicLong found = new AtomicLong();
        DpaMemory storage = dpa.allocate(16);
        DpaThread thread = dpa.thread(kernels.thread("storage", (context, argument) -> {
                    found.set(context.localStorage());
                    return KernelEnd.FINISH;
                }))
                .localStorage(storage)
                .start();
        wake(run(thread));
        until(() -> found.get() == storage.address());
    }

    /** The stop waits; a kernel that goes on is another matter. */
    @Test
    void aThreadIsStoppedWhileItsKernelRuns() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        DpaThread thread = dpa.thread(kernels.thread("until told", (context, argument) -> {
                    begun.countDown();
                    while (!stop.get()) {
                        Thread.onSpinWait();
                    }
                    return KernelEnd.RESCHEDULE;
                }))
                .start();
        DpaNotification waker = run(thread);
        wake(waker);
        begun.await();
        waker.close();
        assertThatThrownBy(thread::stop).hasMessageContaining("DRIVER");
        assertThatThrownBy(dpa::close).hasMessageContaining("DRIVER");
        stop.set(true);
        thread.stop();
        dpa.close();
    }

    @Test
    void theRanksOfALaunchRunAtOnce() throws Exception {
        int ranks = 8;
        AtomicIntegerArray seen = new AtomicIntegerArray(ranks);
        AtomicInteger there = new AtomicInteger();
        DpaFunction meet = kernels.launch("meet", (context, arguments) -> {
            there.incrementAndGet();
            while (there.get() < context.numThreads()) {
                context.yieldToOthers();
            }
            seen.addAndGet(context.rank(), (int) (arguments[0] + arguments[1]));
        });
        try (DpaLaunch launch = dpa.launch(meet).threads(ranks).launch(3, 4)) {
            assertThat(launch.await(Machine.PATIENCE)).isTrue();
        }
        for (int i = 0; i < ranks; i++) {
            assertThat(seen.get(i)).isEqualTo(7);
        }
        assertThat(dpa.lastError()).isNull();
    }

    @Test
    void aLaunchOfWhichARankThrowsEnds() throws Exception {
        DpaFunction odd = kernels.launch("odd", (context, arguments) -> {
            if (context.rank() % 2 == 1) {
                throw new IllegalArgumentException("rank " + context.rank());
            }
        });
        try (DpaLaunch launch = dpa.launch(odd).threads(4).launch()) {
            assertThat(launch.await(Machine.PATIENCE)).isTrue();
        }
        assertThat(dpa.lastError()).isNotNull();
        try (Dpa other = Dpa.builder(device).start()) {
            assertThatThrownBy(() -> other.launch(odd).launch()).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void syncEventsAndHashTables() throws Exception {
        SyncEvent question = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        SyncEvent answer = dpa.syncEvent().publishedByDpa().awaitedByCpu().start();
        DpaHashTable table = dpa.hashTable(16);
        long[] events = {question.handle(), answer.handle(), table.handle()};
        DpaFunction kernel = kernels.launch("answer", (context, arguments) -> {
            context.awaitEventGreater(arguments[0], 4, -1);
            long value = context.eventValue(arguments[0]);
            context.memory().tableAdd(arguments[2], 7, value);
            context.memory().tableAdd(arguments[2], 8, value);
            context.memory().tableRemove(arguments[2], 8);
            if (context.memory().tableFind(arguments[2], 8).isEmpty()) {
                context.setEvent(
                        arguments[1],
                        context.memory().tableFind(arguments[2], 7).orElseThrow());
                context.addToEvent(arguments[1], 100);
            }
        });
        try (DpaLaunch launch = dpa.launch(kernel).launch(events)) {
            question.set(5);
            assertThat(answer.awaitEqual(105, Machine.PATIENCE)).isTrue();
            assertThat(launch.await(Machine.PATIENCE)).isTrue();
        }
        assertThat(dpa.lastError()).isNull();
    }

    /** A kernel posts two waits and ends; each starts its thread again when the event has come that far. */
    @Test
    void waitsThatArePostedStartTheThread() {
        SyncEvent event = dpa.syncEvent().publishedByCpu().awaitedByDpa().start();
        List<Long> seen = new CopyOnWriteArrayList<>();
        AtomicLong operations = new AtomicLong();
        AtomicLong completion = new AtomicLong();
        long handle = event.handle();
        DpaThread thread = dpa.thread(kernels.thread("waits", (context, argument) -> {
                    if (seen.isEmpty()) {
                        context.postAwaitEventGreater(operations.get(), handle, 4);
                        context.postAwaitEventUnequal(operations.get(), handle, 5);
                        seen.add(-1L);
                    }
                    long earlier = 0;
                    while (context.pollCompletion(completion.get())) {
                        assertThat(context.completionType()).isEqualTo(CompletionType.SEND);
                        assertThat(context.completionTime()).isGreaterThan(earlier);
                        earlier = context.completionTime();
                        seen.add((long) context.completionCounter());
                        context.acknowledgeCompletion(completion.get(), 1);
                    }
                    context.requestCompletionNotification(completion.get());
                    return KernelEnd.RESCHEDULE;
                }))
                .start();
        DpaCompletion ended = dpa.completion(4, thread);
        completion.set(ended.handle());
        operations.set(dpa.asyncOps(ended, 4, 0).handle());
        wake(run(thread));
        until(() -> seen.size() == 1);
        event.set(5);
        until(() -> seen.size() == 2);
        event.set(6);
        until(() -> seen.size() == 3);
        assertThat(seen).containsExactly(-1L, 0L, 1L);
        assertThat(dpa.lastError()).isNull();
    }

    /** Each is the last error, and none harms the process. */
    @Test
    void handlesThatHaveEndedDoNothing() {
        DpaCompletion completion = dpa.completion(4);
        long handle = completion.handle();
        DpaFunction poll = kernels.rpc("poll", (context, arguments) -> context.pollCompletion(arguments[0]) ? 1 : 0);
        assertThat(dpa.rpc(poll, handle)).isZero();
        assertThat(dpa.lastError()).isNull();
        completion.close();
        assertThat(dpa.rpc(poll, handle)).isZero();
        assertThat(dpa.lastError()).isNotNull();
        long[] wrong = {0, -1, handle};
        DpaKernel.Rpc[] calls = {
            (context, arguments) ->
                    context.pollConsumer(arguments[0]) ? 1 : context.immediate().byteSize(),
            (context, arguments) -> context.producerId(),
            (context, arguments) -> {
                context.acknowledgeConsumer(arguments[0], 1);
                context.postReceives(arguments[0], 1);
                context.requestConsumerNotification(arguments[0]);
                context.acknowledgeCompletion(arguments[0], 1);
                context.requestCompletionNotification(arguments[0]);
                return 0;
            },
            (context, arguments) -> context.isConsumerEmpty(arguments[0], 1) ? 0 : 1,
            (context, arguments) -> {
                context.sendImmediate(arguments[0], 1, java.lang.foreign.MemorySegment.ofArray(new byte[1]), 0);
                context.copyAndSend(
                        arguments[0],
                        1,
                        new KernelCopy(0, 0, 0, 0, 1),
                        java.lang.foreign.MemorySegment.ofArray(new byte[1]),
                        0);
                context.notifyThread(arguments[0]);
                context.useDevice(arguments[0]);
                return 0;
            },
            (context, arguments) -> context.eventValue(arguments[0]),
            (context, arguments) -> {
                context.setEvent(arguments[0], 1);
                context.addToEvent(arguments[0], 1);
                context.awaitEventGreater(arguments[0], 1, 1);
                context.postAwaitEventGreater(arguments[0], arguments[0], 1);
                context.postAwaitEventUnequal(arguments[0], arguments[0], 1);
                return context.memory().ofMap((int) arguments[0], 5);
            },
            (context, arguments) -> {
                context.memory().copy(arguments[0], new KernelCopy(0, 0, 0, 0, 1), 0);
                context.memory().tableAdd(arguments[0], 0, 0);
                context.memory().tableRemove(arguments[0], 0);
                return context.memory().tableFind(arguments[0], 0).isPresent() ? 1 : 0;
            }
        };
        assertThat(Arrays.stream(calls).mapToLong(call -> {
                    try (Dpa other = Dpa.builder(device).start()) {
                        DpaFunction made = JavaKernels.of(other).rpc("misuse", call);
                        return Arrays.stream(wrong)
                                .map(number -> other.rpc(made, number))
                                .sum();
                    }
                }))
                .allMatch(sum -> sum == 0);
    }
}
