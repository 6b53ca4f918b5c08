package io.github.comch4j.dpa;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.emulator.KernelContext;
import io.github.comch4j.emulator.KernelEnd;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What msgq_program.c is in C: kernels between two queues, which find their handles in a {@code struct ends}. */
final class JavaProgram {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    final AtomicLong received = new AtomicLong();
    final AtomicLong runs = new AtomicLong();
    final AtomicBoolean stop = new AtomicBoolean();

    /** What an execution unit has allocated from one run or poll to the next, after the warm-up. */
    final AtomicLong allocated = new AtomicLong();
    /** In how many messages. */
    final AtomicLong counted = new AtomicLong();

    private final long warmUp;

    // Of the look before. Runs of a thread happen one after the other.
    private @Nullable Thread unit;
    private long allocatedBefore;
    private long receivedBefore;

    JavaProgram(long warmUp) {
        this.warmUp = warmUp;
    }

    /** With what lies between two runs, where they are on the same execution unit. */
    private void countAllocation() {
        long now = THREADS.getCurrentThreadAllocatedBytes();
        if (unit == Thread.currentThread() && receivedBefore > warmUp) {
            allocated.addAndGet(now - allocatedBefore);
            counted.addAndGet(received.get() - receivedBefore);
        }
        unit = Thread.currentThread();
        allocatedBefore = now;
        receivedBefore = received.get();
    }

    private boolean echoOne(KernelContext dpa, MemorySegment ends) {
        long completion = ends.get(JAVA_LONG, 0);
        if (!dpa.pollConsumer(completion)) {
            return false;
        }
        long producer = ends.get(JAVA_LONG, 16);
        while (dpa.isConsumerEmpty(producer, 1)) {
            Thread.onSpinWait();
        }
        received.incrementAndGet();
        dpa.sendImmediate(
                producer, dpa.producerId(), dpa.immediate(), KernelContext.FLUSH | KernelContext.OPTIMIZE_REPORTS);
        dpa.postReceives(ends.get(JAVA_LONG, 8), 1);
        dpa.acknowledgeConsumer(completion, 1);
        return true;
    }

    /** Answers all there is, and sleeps. */
    KernelEnd echo(KernelContext dpa, long argument) {
        countAllocation();
        runs.incrementAndGet();
        MemorySegment ends = dpa.memory().at(argument, 32);
        boolean more = true;
        while (more) {
            more = echoOne(dpa, ends);
            if (received.get() % 1000 == 0) { // a run may be long
                countAllocation();
            }
        }
        countAllocation(); // the next run may be on another execution unit
        dpa.requestConsumerNotification(ends.get(JAVA_LONG, 0));
        return KernelEnd.RESCHEDULE;
    }

    /** Answers one message in each run, and asks before it has read all: each further one must start another run. */
    KernelEnd echoOneEachRun(KernelContext dpa, long argument) {
        runs.incrementAndGet();
        MemorySegment ends = dpa.memory().at(argument, 32);
        echoOne(dpa, ends);
        dpa.requestConsumerNotification(ends.get(JAVA_LONG, 0));
        return KernelEnd.RESCHEDULE;
    }

    /** Polls until it is told to end. */
    KernelEnd echoPolling(KernelContext dpa, long argument) {
        runs.incrementAndGet();
        MemorySegment ends = dpa.memory().at(argument, 32);
        while (!stop.get()) {
            echoOne(dpa, ends);
        }
        return KernelEnd.FINISH;
    }

    static long postReceives(KernelContext dpa, long... arguments) {
        dpa.postReceives(arguments[0], (int) arguments[1]);
        return 0;
    }
}
