package io.github.comch4j.io;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A send that a future stands for. */
final class FutureSend extends PendingSend {
    private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();

    /** {@code bytes} counts the messages with futures that wait, and this one already. */
    FutureSend(byte[] message, AtomicLong bytes) {
        super(message);
        var _ = future.whenComplete((nothing, thrown) -> {
            bytes.addAndGet(-message.length);
            if (future.isCancelled()) {
                cancel();
            }
        });
    }

    CompletableFuture<@Nullable Void> future() {
        return future;
    }

    @Override
    void ended(@Nullable Throwable thrown) {
        if (thrown == null) {
            future.complete(null);
        } else {
            future.completeExceptionally(thrown);
        }
    }
}
