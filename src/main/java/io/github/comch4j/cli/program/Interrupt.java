package io.github.comch4j.cli.program;

import io.github.comch4j.WaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ctrl-C, or the end of the program: is noted, and waits until the command has said its last words. */
public final class Interrupt implements AutoCloseable {
    private static final long LAST_WORDS_SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Duration lastWords;
    private volatile boolean stopped;
    private volatile @Nullable Thread waiting;

    public Interrupt() {
        this(Duration.ofSeconds(LAST_WORDS_SECONDS));
    }

    /** With so much time for the last words. */
    public Interrupt(Duration lastWords) {
        this.lastWords = lastWords;
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "interrupt"));
    }

    /** Whether the command is to end now. */
    public boolean stopped() {
        return stopped;
    }

    /** Waits for it. */
    public void await() throws InterruptedException {
        begun.await();
    }

    /** The result of what may wait in this thread for long; null if the command is to end, which ends the wait. */
    public <T> @Nullable T during(Supplier<@Nullable T> work) {
        waiting = Thread.currentThread();
        try {
            return stopped ? null : work.get();
        } catch (WaitInterruptedException e) {
            return null;
        } finally {
            waiting = null;
        }
    }

    private void stop() {
        stopped = true;
        Thread thread = waiting;
        if (thread != null) {
            thread.interrupt();
        }
        begun.countDown();
        try {
            ended.await(lastWords.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
