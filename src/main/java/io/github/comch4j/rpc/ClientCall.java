package io.github.comch4j.rpc;

import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A call of a client: what is to be sent, and who waits for the response. */
final class ClientCall extends OutgoingFrame implements BooleanSupplier {
    private static final VarHandle STATE = stateHandle();

    private static final long FOREVER = Long.MAX_VALUE / 2; // nanoseconds

    private static final int PENDING = 0;
    private static final int SENT = 1; // all of it: from here on its handler may run
    private static final int ENDING = 2; // its end is being written
    private static final int ENDED = 3;

    /** What a call has beside its method, body and time. */
    record Options(boolean waitForReady, byte[] metadata) {
        static final Options NONE = new Options(false, EMPTY);
        static final Options WAIT_FOR_READY = new Options(true, EMPTY);
    }

    private final Options options;
    private final long deadline;
    private final ClientLink link;
    private final LoopThread loop;
    private final @Nullable Thread waiter; // one of these two
    private final @Nullable CompletableFuture<Object> future;
    private final @Nullable Function<? super RpcResponse, ?> reader; // of the future; null: the body is the result
    private volatile int state;
    private byte @Nullable [] response; // before ENDED, as the next ones
    private @Nullable Throwable failure;
    private @Nullable ClientCall wakes; // as well: the first of the calls whose threads this one's wakes
    private @Nullable ClientCall alongside; // as well: the next one of those

    @Nullable
    Map<String, String> responseMetadata; // as well

    // in the loop
    @Nullable
    PartialBody arriving;

    /**
     * A call.
     *
     * @param waits whether the calling thread is going to wait for it; else a future stands for it, whose result is
     *     what {@code reader} makes of the response, in the loop, or the body if that is null
     */
    ClientCall(
            int method,
            MemorySegment body,
            long timeout,
            Options options,
            ClientLink link,
            boolean waits,
            @Nullable Function<? super RpcResponse, ?> reader) {
        super(Frames.REQUEST, 0, method, timeout, body);
        this.options = options;
        this.link = link;
        this.loop = link.thread();
        this.deadline = System.nanoTime() + timeout;
        this.waiter = waits ? Thread.currentThread() : null;
        this.future = waits ? null : new CompletableFuture<>();
        this.reader = reader;
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ClientCall.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    CompletableFuture<Object> future() {
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

    boolean waitsForReady() {
        return options.waitForReady;
    }

    @Override
    byte[] metadata() {
        return options.metadata;
    }

    @Override
    boolean isObsolete() {
        return state >= ENDING;
    }

    @Override
    boolean leave() {
        return STATE.compareAndSet(this, PENDING, SENT);
    }

    @Override
    void unreadable(RuntimeException why) {
        link.unreadable(this, why);
    }

    /** It was not handled, and can be sent again as if it never was. Returns false if it has ended. In the loop. */
    boolean takeBack() {
        startAgain();
        arriving = null;
        responseMetadata = null;
        return state == PENDING || STATE.compareAndSet(this, SENT, PENDING);
    }

    /** Whether all of it has been sent. */
    boolean isSent() {
        return state == SENT;
    }

    /** Begins its end: returns what its state was; -1 if it has ended before. */
    private int beginEnd() {
        for (int before = state; before < ENDING; before = state) {
            if (STATE.compareAndSet(this, before, ENDING)) {
                return before;
            }
        }
        return -1;
    }

    /** Whether its thread is going to wait for it. */
    boolean isAwaited() {
        return waiter != null;
    }

    /** Whether a virtual thread waits for it, which is cheap for another one to wake. */
    boolean isOfVirtualThread() {
        return waiter != null && waiter.isVirtual();
    }

    /** Whether the response is wanted where it has arrived. */
    boolean hasReader() {
        return reader != null;
    }

    /** Takes the response, null if a reader is shown it, and does not show it yet. Returns false if it has ended. */
    boolean prepare(byte @Nullable [] bytes) {
        if (beginEnd() < 0) {
            return false;
        }
        response = bytes;
        return true;
    }

    /** Shows the response that it has got. Another thread wakes its own, and then that of {@code next}, if any. */
    void show(@Nullable ClientCall next) {
        alongside = next;
        state = ENDED;
    }

    /** Shows the response that it has got and wakes its thread, which wakes those of {@code others}, if any. */
    void showAndWake(@Nullable ClientCall others) {
        wakes = others;
        state = ENDED;
        wake();
    }

    private void wake() {
        loop.wake(Objects.requireNonNull(waiter));
    }

    /** For the thread of a call that has ended. */
    void wakeOthers() {
        for (ClientCall call = wakes; call != null; call = call.alongside) {
            call.wake();
        }
    }

    /** Shows the response that it has got, to whoever waits. */
    void finish() {
        byte[] bytes = Objects.requireNonNull(response);
        state = ENDED;
        if (future == null) {
            wake();
        } else if (reader == null) {
            loop.runInLoop(() -> future.complete(bytes));
        } else {
            completeRead(RpcResponse.of(bytes, responseMetadata));
        }
    }

    /** Shows a response as it has arrived, to the reader. */
    void finish(MemorySegment view) {
        state = ENDED;
        completeRead(RpcResponse.of(view, responseMetadata));
    }

    private void completeRead(RpcResponse arrived) {
        Object result;
        try {
            result = reader == null ? arrived : reader.apply(arrived);
        } catch (Throwable t) {
            future().completeExceptionally(t);
            return;
        } finally {
            arrived.release();
        }
        future().complete(result);
    }

    /** Returns false if it has ended before. */
    boolean fail(Throwable thrown) {
        if (beginEnd() < 0) {
            return false;
        }
        failed(thrown);
        return true;
    }

    /**
     * With an {@link RpcException} that says how far it has come. Returns false if it has ended before.
     *
     * @param why for the case that it has been sent; what there was none of otherwise
     */
    boolean fail(Kind kind, String why, @Nullable Throwable cause) {
        int before = beginEnd();
        if (before < 0) {
            return false;
        }
        String text = "a call of method " + value + (before == SENT ? ", sent: " : ", not sent: ") + why;
        failed(new RpcException(kind, before == SENT ? Delivery.SENT : Delivery.NOT_SENT, text, cause));
        return true;
    }

    private void failed(Throwable thrown) {
        failure = thrown;
        state = ENDED;
        if (future != null) {
            loop.runInLoop(() -> future.completeExceptionally(thrown));
        } else {
            wake();
        }
    }

    /** Whoever waited does not any more. Returns false if it has ended before. */
    boolean abandon() {
        for (int before = state; before < ENDING; before = state) {
            if (STATE.compareAndSet(this, before, ENDED)) {
                return true;
            }
        }
        while (state != ENDED) {
            Thread.onSpinWait(); // its end is being written
        }
        return false;
    }

    /** Whether it has ended. */
    @Override
    public boolean getAsBoolean() {
        return state == ENDED;
    }

    /** Waits until it has ended; false if the thread is interrupted before. */
    boolean await() {
        return loop.await(this, System.nanoTime() + FOREVER, null);
    }

    /** The response, once it has ended; null if it has failed. */
    byte @Nullable [] response() {
        return response;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    /** How long it may still take; a negative number if it has ended. */
    long left(long now) {
        return isObsolete() ? -1 : Math.max(0, deadline - now);
    }

    /** Its time is up. Returns false if it has ended before. */
    boolean failLate() {
        return fail(Kind.TIME_OUT, "no response within " + Failures.text(Duration.ofNanos(extra)), null);
    }
}
