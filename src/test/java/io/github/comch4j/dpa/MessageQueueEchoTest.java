package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.BothForms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Messages to a kernel in C or in Java and back, in the pattern of NVIDIA's NVMe emulation: 1,024 credits, 24 bytes,
 * answers with FLUSH and OPTIMIZE_REPORTS. None is lost, their order is kept, nobody exceeds the credits, and nothing
 * is allocated.
 */
@Timeout(600)
@Needs(Feature.DPA)
class MessageQueueEchoTest extends BothForms {
    private static final int CREDITS = 1024;
    private static final int LENGTH = 24;
    private static final long MESSAGES = Long.getLong("comch4j.test.messages", 200_000);
    private static final long WARM_UP = 50_000;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private long expected;
    private long wrong;

    private void received(MessageQueueConsumer consumer, int producerId, MemorySegment message) {
        if (message.byteSize() != LENGTH
                || producerId != 1
                || Link.number(message) != expected
                || message.get(ValueLayout.JAVA_LONG_UNALIGNED, 16) != ~expected) {
            wrong++;
        }
        expected++;
    }

    /** So many messages are on the way at most. Returns how many bytes this thread has allocated after the warm-up. */
    private long echo(Link link, long messages, int window, boolean offered) {
        MemorySegment message = Link.message(Arena.ofAuto(), LENGTH);
        long before = 0;
        long sent = 0;
        long deadline = System.nanoTime() + 500_000_000_000L;
        while (expected < messages) {
            if (sent >= WARM_UP && before == 0) {
                before = THREADS.getCurrentThreadAllocatedBytes();
            }
            while (sent < messages && sent - expected < window) {
                message.set(ValueLayout.JAVA_LONG, 0, sent);
                message.set(ValueLayout.JAVA_LONG, 16, ~sent);
                SubmitResult result = offered ? link.producer.enqueue(message, 1) : link.producer.trySend(message, 1);
                if (!result.accepted()) {
                    break;
                }
                sent++;
            }
            link.machine.engine.progress();
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(expected + " of " + sent + " have come back");
            }
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private void assertEcho(long messages, int window, boolean offered) {
        try (Machine machine = new Machine();
                Link link = new Link(machine, "echo", CREDITS, LENGTH, this::received)) {
            assertEcho(link, messages, window, offered);
            assertThat(link.get(Link.RECEIVED)).isEqualTo(messages);
        }
    }

    /** The same with the kernel in Java, whose execution units allocate nothing either. */
    private void assertEchoInJava(long messages, int window) {
        JavaProgram program = new JavaProgram(messages / 2);
        try (Machine machine = new Machine();
                Link link = new Link(machine, program::echo, CREDITS, LENGTH, this::received)) {
            assertEcho(link, messages, window, false);
            link.thread.stop();
            assertThat(program.received).hasValue(messages);
            assertThat(program.counted.get()).isGreaterThan(messages / 4);
            assertThat(program.allocated.get() / (double) program.counted.get())
                    .as("bytes of an execution unit per message")
                    .isLessThan(1);
        }
    }

    private void assertEcho(Link link, long messages, int window, boolean offered) {
        link.thread.run();
        long allocated = echo(link, messages, window, offered);
        assertThat(wrong).isZero();
        assertThat(link.consumer.received()).isEqualTo(messages);
        link.machine.until("the ends of the sends", () -> link.producer.inFlight() == 0);
        assertThat(link.producer.sent()).isEqualTo(messages);
        assertThat(link.producer.failed()).isZero();
        assertThat(link.dpa.lastError()).as("credits that were exceeded").isNull();
        assertThat(allocated / (double) (messages - WARM_UP))
                .as("bytes per message")
                .isLessThan(1);
    }

    @Test
    void withAllCredits() {
        assertEcho(MESSAGES, CREDITS, false);
    }

    @Test
    void queued() {
        assertEcho(MESSAGES, CREDITS, true);
    }

    /** The sender goes on until there is no room: it is told which, and nothing is lost. */
    @Test
    void beyondAllCredits() {
        assertEcho(MESSAGES, Integer.MAX_VALUE, false);
    }

    /** The kernel sleeps and is woken all the time. */
    @Test
    void oneAtATime() {
        assertEcho(WARM_UP + 10_000, 1, false);
    }

    @Test
    void withAllCreditsAndAKernelInJava() {
        assertEchoInJava(5 * MESSAGES, CREDITS); // so long takes the JIT compiler where it is waited for
    }

    @Test
    void oneAtATimeAndAKernelInJava() {
        assertEchoInJava(WARM_UP + 10_000, 1);
    }
}
