package io.github.comch4j.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.link.Framing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The books of a send buffer of 100 bytes, without a socket. */
@Timeout(60)
class SendBufferTest {
    private final List<PendingSend> added = Collections.synchronizedList(new ArrayList<>());
    private final SendBuffer buffer = new SendBuffer(new LoopThread(null, Runnable::run), 100, added::add);

    /** A thread that waits for buffer. */
    private final class Waiting {
        final CompletableFuture<Boolean> served = new CompletableFuture<>();
        final PendingSend send = new PendingSend(null, Framing.DATA, new byte[1]);
        final Thread thread;

        Waiting(long bytes) {
            thread =
                    Thread.ofPlatform().daemon().start(() -> served.complete(buffer.awaitAndAdd(send, bytes, later())));
            Machine.until("it waits", () -> Machine.waits(thread), new ProgressEngine[0]);
        }
    }

    private static long later() {
        return System.nanoTime() + Machine.PATIENCE.toNanos();
    }

    @Test
    void thoseBehindOneThatGivesUpAreServed() {
        buffer.takeAnyway(50);
        Waiting large = new Waiting(90);
        Waiting small = new Waiting(10);
        assertThat(added).isEmpty();
        large.thread.interrupt();
        assertThat(large.served).succeedsWithin(Machine.PATIENCE).isEqualTo(false);
        assertThat(small.served).succeedsWithin(Machine.PATIENCE).isEqualTo(true);
        assertThat(added).containsExactly(small.send);
        assertThat(buffer.taken()).isEqualTo(60);
    }

    @Test
    void whatWasAskedForInVainIsNotTaken() {
        buffer.takeAnyway(100);
        for (int i = 0; i < 101; i++) {
            assertThat(buffer.tryTake(1)).isFalse();
            assertThat(buffer.awaitAndAdd(new PendingSend(null, Framing.DATA, new byte[1]), 1, System.nanoTime()))
                    .isFalse();
        }
        Waiting interrupted = new Waiting(1);
        interrupted.thread.interrupt();
        assertThat(interrupted.served).succeedsWithin(Machine.PATIENCE).isEqualTo(false);
        assertThat(added).isEmpty();
        buffer.give(100);
        assertThat(buffer.tryTake(100)).isTrue();
        assertThat(buffer.tryTake(1)).isFalse();
    }

    @Test
    void theEndServesAll() {
        buffer.takeAnyway(100);
        Waiting waiting = new Waiting(100);
        buffer.end();
        assertThat(waiting.served).succeedsWithin(Machine.PATIENCE).isEqualTo(true);
        assertThat(added).as("nothing is sent any more").isEmpty();
    }
}
