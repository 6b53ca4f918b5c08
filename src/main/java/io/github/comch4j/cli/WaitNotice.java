package io.github.comch4j.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Says on stderr what a command waits for, if that takes more than a second. */
final class WaitNotice implements AutoCloseable {
    private volatile boolean over;

    private WaitNotice() {}

    /** {@code what}: a noun, such as a server and its name. */
    static WaitNotice on(String what) {
        WaitNotice waiting = new WaitNotice();
        CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> {
            if (!waiting.over) {
                System.err.println("comch: waits for " + what);
            }
        });
        return waiting;
    }

    @Override
    public void close() {
        over = true;
    }
}
