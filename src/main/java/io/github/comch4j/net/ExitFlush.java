package io.github.comch4j.net;

import io.github.comch4j.streams.BlockingStream;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a process that ends still does: what was written to sockets that are closed goes out, as the kernel has it for
 * those of TCP, and connections without sockets end in good order. Sockets that are open are left to who has opened
 * them: hooks may use them still.
 */
final class ExitFlush {
    private static final long PATIENCE_SECONDS = 5; // for a peer that stands still

    private static final Map<BlockingStream, Object> STREAMS = new ConcurrentHashMap<>(); // each with its owner
    private static final Map<Object, Supplier<Future<?>>> OWNERS = new ConcurrentHashMap<>();

    static @Nullable Thread hook; // while there are owners, as it keeps the class loader; guarded by the class

    private ExitFlush() {}

    /** Has connections, which {@code end} ends when their streams have; its result is done when the peers know. */
    static synchronized void add(Object owner, Supplier<Future<?>> end) {
        OWNERS.put(owner, end);
        if (hook == null) {
            hook = new Thread(ExitFlush::finish, "comch-sockets-end");
            unlessEnding(() -> Runtime.getRuntime().addShutdownHook(hook));
        }
    }

    static synchronized void remove(Object owner) {
        OWNERS.remove(owner);
        Thread last = hook;
        if (last != null && OWNERS.isEmpty()) {
            hook = null;
            unlessEnding(() -> Runtime.getRuntime().removeShutdownHook(last));
        }
    }

    private static void unlessEnding(Runnable change) {
        try {
            change.run();
        } catch (IllegalStateException e) {
            // the process ends already
        }
    }

    /** One more stream on the owner's connections. */
    @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
    static void add(Object owner, BlockingStream stream) {
        STREAMS.put(stream, owner);
        stream.channel().closeFuture().addListener(closed -> STREAMS.remove(stream));
    }

    /** Whether one of the owner's streams is not closed by its user yet. */
    static boolean hasOpen(Object owner) {
        return STREAMS.entrySet().stream()
                .anyMatch(
                        stream -> stream.getValue() == owner && !stream.getKey().isClosed());
    }

    private static void finish() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (BlockingStream stream : STREAMS.keySet()) {
            if (stream.isClosed()) {
                await(stream.channel().closeFuture(), deadline);
            }
        }
        Set<Object> inUse = STREAMS.entrySet().stream()
                .filter(stream -> !stream.getKey().channel().closeFuture().isDone()) // before its listeners have run
                .map(Map.Entry::getValue)
                .collect(Collectors.toSet());
        OWNERS.entrySet().stream()
                .filter(owner -> !inUse.contains(owner.getKey()))
                .map(owner -> owner.getValue().get())
                .toList()
                .forEach(ended -> await(ended, deadline));
    }

    private static void await(Future<?> future, long deadline) {
        future.awaitUninterruptibly(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
