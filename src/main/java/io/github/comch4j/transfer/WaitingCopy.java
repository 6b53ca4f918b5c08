package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.SubmitterTrace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A copy that a thread waits for: the engine's own, or another one where an event loop has the engine. */
final class WaitingCopy {
    private static final long LOOK_NANOS = 1_000_000_000;

    private final CopyTasks copies;
    private final Engine engine;
    private final Function<WaitingCopy, SubmitResult> submit;
    private final CompletableFuture<DocaError> end = new CompletableFuture<>();

    WaitingCopy(CopyTasks copies, Engine engine, Function<WaitingCopy, SubmitResult> submit) {
        this.copies = copies;
        this.engine = engine;
        this.submit = submit;
    }

    /** In the engine's thread: submits it. False if there is no task for it yet. */
    boolean begin() {
        if (end.isDone()) {
            return true; // nobody waits any more
        }
        try {
            return submit.apply(this) == SubmitResult.ACCEPTED;
        } catch (Throwable t) {
            end.completeExceptionally(t);
            return true;
        }
    }

    /** It has ended. */
    void ended(DocaError status) {
        end.complete(status);
    }

    /** It will not be submitted. */
    void refused(Throwable why) {
        end.completeExceptionally(why);
    }

    /** Has it done, and waits for the engine's timeout at most. Returns how it has ended. */
    DocaError await() {
        LoopThread loop = engine.otherLoopThread();
        if (loop != null) {
            return awaitIn(loop);
        }
        engine.checkOwner();
        if (engine.isInCallbacks()) {
            throw new IllegalStateException("copy() cannot wait inside a callback; use tryCopy() or enqueue()");
        }
        copies.begin(this);
        if (!engine.await(end::isDone, engine.deadline(), null)) {
            throw late();
        }
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw Rethrow.asIs(e.getCause());
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a copy");
        }
    }

    private DocaError awaitIn(LoopThread loop) {
        engine.afterCallbacks(() -> copies.begin(this));
        long deadline = Nanos.deadline(engine.timeout());
        try {
            while (true) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw late();
                }
                try {
                    return end.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    loop.checkNotExiting("a copy");
                    copies.checkOpen();
                }
            }
        } catch (ExecutionException e) {
            throw Rethrow.asIs(SubmitterTrace.addTo(e.getCause(), loop));
        } catch (InterruptedException e) {
            throw Failures.interrupted("waiting for a copy");
        } finally {
            end.cancel(false); // no effect once it is done
        }
    }

    private DocaException late() {
        end.cancel(false);
        return Failures.refused(
                DocaError.TIME_OUT,
                TaskCalls.SUBMIT_NAME,
                "waiting " + Failures.text(engine.timeout()) + " for a copy");
    }
}
