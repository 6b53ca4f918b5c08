package io.github.comch4j.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C, or the end of the program: is noted, and waits until the command has said its last words. */
final class Interrupt implements AutoCloseable {
    private static final long LAST_WORDS_SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopped;

    Interrupt() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "interrupt"));
    }

    /** Whether the command is to end now. */
    boolean stopped() {
        return stopped;
    }

    private void stop() {
        stopped = true;
        try {
            ended.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
