package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.emulator.DpaKernel;
import io.github.comch4j.emulator.KernelEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A kernel in Java acknowledges, asks for a notification and ends its run, while messages come after random pauses: no
 * wake-up is lost, or the messages after it would never come back.
 */
@Timeout(600)
@Needs(Feature.DPA)
class JavaWakeupTest {
    static {
        Machine.useEmulation();
    }

    private static final int CREDITS = 64;
    private static final int LENGTH = 8;
    private static final long MESSAGES = Long.getLong("comch4j.test.wakeups", 20_000);
    private static final long SEED = Long.getLong("comch4j.test.seed", System.nanoTime());

    private long received;

    /** Bursts of messages, and as many pauses as it takes to meet the kernel awake, asleep and in between. */
    private void assertAllComeBack(DpaKernel kernel) {
        SplittableRandom random = new SplittableRandom(SEED);
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined();
                Link link = new Link(machine, kernel, CREDITS, LENGTH, (consumer, producerId, message) -> {
                    assertThat(message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(received);
                    received++;
                })) {
            link.thread.run();
            MemorySegment message = arena.allocate(LENGTH, 8);
            long sent = 0;
            while (sent < MESSAGES) {
                for (int burst = random.nextInt(1, 5); burst > 0 && sent < MESSAGES; burst--) {
                    message.set(ValueLayout.JAVA_LONG, 0, sent);
                    machine.until(
                            "room", () -> link.producer.trySend(message, 1).accepted());
                    sent++;
                }
                long expected = sent;
                if (random.nextInt(4) > 0) { // else the next ones find the kernel at work
                    machine.until("answers, seed " + SEED, () -> received == expected);
                }
                for (int pause = random.nextInt(1 << random.nextInt(12)); pause > 0; pause--) {
                    Thread.onSpinWait();
                }
            }
            machine.until("all answers, seed " + SEED, () -> received == MESSAGES);
            assertThat(link.dpa.lastError()).isNull();
        }
    }

    @Test
    void ofAKernelThatReadsAllThereIs() {
        JavaProgram program = new JavaProgram(0);
        assertAllComeBack(program::echo);
        assertThat(program.runs.get()).as("it slept").isGreaterThan(MESSAGES / 100);
    }

    @Test
    void ofAKernelThatReadsOneMessageInEachRun() {
        JavaProgram program = new JavaProgram(0);
        assertAllComeBack(program::echoOneEachRun);
        assertThat(program.runs.get()).isGreaterThanOrEqualTo(MESSAGES);
    }

    /** It never sleeps, and ends when it is told. */
    @Test
    void ofNoneThatPolls() {
        JavaProgram program = new JavaProgram(0);
        AtomicLong ended = new AtomicLong();
        assertAllComeBack((context, argument) -> {
            Thread teller = new Thread(() -> {
                while (program.received.get() < MESSAGES) {
                    Thread.onSpinWait();
                }
                program.stop.set(true);
            });
            teller.start();
            KernelEnd end = program.echoPolling(context, argument);
            ended.incrementAndGet();
            return end;
        });
        assertThat(ended).hasValue(1);
    }
}
