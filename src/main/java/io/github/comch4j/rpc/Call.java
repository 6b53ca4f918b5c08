package io.github.comch4j.rpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A call of a client: what is to be sent, and who waits for the response. */
final class Call extends Outgoing {
    private static final VarHandle STATE = stateHandle();

    private static final int PENDING = 0;
    private static final int ENDING = 1; // its end is being written
    private static final int ENDED = 2;

    private final long deadline;
    private final @Nullable Thread waiter; // one of these two
    private final @Nullable CompletableFuture<byte[]> future;
    private volatile int state;
    private byte @Nullable [] response; // before ENDED, as the next ones
    private @Nullable Throwable failure;
    private @Nullable Call wakes; // as well: the first of the calls whose threads this one's wakes
    private @Nullable Call alongside; // as well: the next one of those

    @Nullable
    Body arriving; // in the loop

    private Call(int method, byte[] body, long timeout, boolean waits) {
        super(Frames.REQUEST, 0, method, timeout, body);
        this.deadline = System.nanoTime() + timeout;
        this.waiter = waits ? Thread.currentThread() : null;
        this.future = waits ? null : new CompletableFuture<>();
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Call.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** A call that the calling thread is going to wait for. */
    static Call waiting(int method, byte[] body, long timeout) {
        return new Call(method, body, timeout, true);
    }

    /** A call that a future stands for. */
    static Call future(int method, byte[] body, long timeout) {
        return new Call(method, body, timeout, false);
    }

    CompletableFuture<byte[]> future() {
        if (future == null) {
            throw new AssertionError("a thread waits for it");
        }
        return future;
    }

    long deadline() {
        return deadline;
    }

    /** When it was made. */
    long begin() {
        return deadline - extra;
    }

    @Override
    boolean isObsolete() {
        return state != PENDING;
    }

    /** Whether a virtual thread waits for it, which is cheap for another one to wake. */
    boolean isOfVirtualThread() {
        return waiter != null && waiter.isVirtual();
    }

    /** Takes the response and does not show it yet. Returns false if it has ended before. */
    boolean prepare(byte[] bytes) {
        if (!STATE.compareAndSet(this, PENDING, ENDING)) {
            return false;
        }
        response = bytes;
        return true;
    }

    /** Shows the response that it has got. Another thread wakes its own, and then that of {@code next}, if any. */
    void show(@Nullable Call next) {
        alongside = next;
        state = ENDED;
    }

    /** Shows the response that it has got and wakes its thread, which wakes those of {@code others}, if any. */
    void showAndWake(@Nullable Call others) {
        wakes = others;
        state = ENDED;
        LockSupport.unpark(waiter);
    }

    /** For the thread of a call that has ended. */
    void wakeOthers() {
        for (Call call = wakes; call != null; call = call.alongside) {
            LockSupport.unpark(call.waiter);
        }
    }

    /** Returns false if it has ended before. */
    boolean complete(byte[] bytes) {
        if (!STATE.compareAndSet(this, PENDING, ENDING)) {
            return false;
        }
        response = bytes;
        state = ENDED;
        if (future != null) {
            future.complete(bytes);
        } else {
            LockSupport.unpark(waiter);
        }
        return true;
    }

    /** Returns false if it has ended before. */
    boolean fail(Throwable thrown) {
        if (!STATE.compareAndSet(this, PENDING, ENDING)) {
            return false;
        }
        failure = thrown;
        state = ENDED;
        if (future != null) {
            future.completeExceptionally(thrown);
        } else {
            LockSupport.unpark(waiter);
        }
        return true;
    }

    /** Whoever waited does not any more. Returns false if it has ended before. */
    boolean abandon() {
        boolean mine = STATE.compareAndSet(this, PENDING, ENDED);
        while (state != ENDED) {
            Thread.onSpinWait(); // its end is being written
        }
        return mine;
    }

    /** Waits until it has ended; false if the thread is interrupted before. */
    boolean await() {
        while (state != ENDED) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** The response, once it has ended; null if it has failed. */
    byte @Nullable [] response() {
        return response;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Fails it if it is late. Returns how long it may still take; a negative number if it has ended. */
    long check(long now) {
        long left = deadline - now;
        if (left > 0) {
            return state == PENDING ? left : -1;
        }
        fail(new RpcException(
                RpcException.Kind.TIME_OUT,
                "no response to a call of method " + value + " within " + Duration.ofNanos(extra)));
        return -1;
    }
}
