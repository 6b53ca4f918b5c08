package io.github.comch4j.cli.relay;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A place for one thing, which one thread brings and another one waits for. */
final class HandedItem<T> {
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final CompletableFuture<T> thing = new CompletableFuture<>();

    /** Returns whether the caller is the one that may bring it. */
    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    void set(T value) {
        thing.complete(value);
    }

    T get() throws InterruptedException {
        try {
            return thing.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
