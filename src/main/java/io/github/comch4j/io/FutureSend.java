package io.github.comch4j.io;

import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.link.Framing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A send that a future stands for, and that can be cancelled. */
final class FutureSend extends PendingSend {
    private static final VarHandle STATE = stateHandle();

    private static final int WAITING = 0;
    private static final int SENDING = 1; // for a moment: the loop tries
    private static final int ENDED = 2;
    private static final int CANCELLED = 3;

    private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    private final AtomicLong bytes;
    private final LoopThread loop;
    private volatile int state;

    /** {@code bytes} counts the messages with futures that the loop has not done with, and this one already. */
    FutureSend(SocketLink link, byte[] message, AtomicLong bytes, LoopThread loop) {
        super(link, Framing.DATA, message);
        this.bytes = bytes;
        this.loop = loop;
        var _ = future.whenComplete((nothing, thrown) -> {
            if (future.isCancelled()) {
                cancel();
            }
        });
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(FutureSend.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    CompletableFuture<@Nullable Void> future() {
        return future;
    }

    /** Nobody waits for it any more. While the loop tries, waits for that. */
    private void cancel() {
        while (!STATE.compareAndSet(this, WAITING, CANCELLED)) {
            if (state == ENDED || state == CANCELLED) {
                return;
            }
            Thread.yield();
        }
    }

    @Override
    boolean isPromised() {
        return false;
    }

    @Override
    boolean begin() {
        if (STATE.compareAndSet(this, WAITING, SENDING)) {
            return true;
        }
        bytes.addAndGet(-message.length);
        return false;
    }

    @Override
    void pause() {
        STATE.setRelease(this, WAITING);
    }

    @Override
    void sent() {
        state = ENDED;
        bytes.addAndGet(-message.length); // first: what depends on the future may send again
        loop.runInLoop(() -> future.complete(null));
    }

    @Override
    void failed(Supplier<? extends Throwable> why) {
        if (state == SENDING || begin()) {
            state = ENDED;
            bytes.addAndGet(-message.length);
            Throwable thrown = why.get();
            loop.runInLoop(() -> future.completeExceptionally(thrown));
        }
    }
}
