package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.observe.Counter;
import java.lang.foreign.MemorySegment;

/**
 * Carries the tasks of one progress engine to DOCA and their completions back: with the batch library, many in one
 * native call, or without it, with a call for each step. Programs see no difference but speed.
 *
 * <p>It also keeps what callbacks throw until the native call that ran them has returned. All methods belong to the
 * engine's owner.
 */
public abstract sealed class Transport permits BatchedTransport, PlainTransport {
    private Throwable failure; // thrown by callbacks, not yet rethrown
    private final Counter callbackFailures = new Counter();
    private int endpoints;

    /**
     * The transport of a new {@code struct doca_pe}, batched unless that is switched off or there is no batch library.
     */
    public static Transport create(long engine) {
        Upcalls.engineBegins();
        try {
            return Batch.isOn() ? new BatchedTransport(engine) : new PlainTransport(engine);
        } catch (RuntimeException | Error e) {
            Upcalls.engineEnds();
            throw e;
        }
    }

    /**
     * Runs callbacks until nothing is ready, {@code limit} of them have run or one threw.
     *
     * @param spins how many times more to look while nothing has been ready yet
     * @return how many events there were
     */
    public abstract int progress(int limit, int spins);

    /**
     * As {@link #progress}, when the program waits for messages of this consumer: one that comes alone reaches it in
     * less time.
     */
    public int poll(TaskQueue queue, SlotEvents consumer, int limit, int spins) {
        return progress(limit, spins);
    }

    /**
     * Before the engine sleeps: submits what is queued. Returns whether there are completions that the engine's
     * descriptor does not know of.
     */
    public abstract boolean prepareToSleep();

    /**
     * Whether tasks are still queued, as DOCA does not take them now: to be submitted again soon, because no event
     * tells when it does.
     */
    public abstract boolean holdsTasksBack();

    /** The program sleeps on the engine's descriptor in its own way: progress brings no more than it is asked for. */
    public void stopPrefetching() {
        // without the batch library it never does
    }

    /** After a call that changes the context's state: delivers its changes of state that wait in the ring. */
    public abstract void deliverPending(ContextEvents context);

    /** At the beginning of each upcall: delivers the events that came before it. */
    abstract void deliverPending();

    /** A message of this length has come in an upcall: more of them may come. */
    void cameAlone(long length) {
        // without the batch library all do
    }

    /**
     * The tasks of a producer, consumer or DMA context that is connected to the engine and not started yet.
     *
     * @param view its {@code struct doca_ctx *}
     * @param kind what they do
     * @param tasks how many
     */
    public abstract TaskQueue taskQueue(
            ContextEvents context, SlotEvents slots, MemorySegment view, TaskKind kind, int tasks);

    /**
     * Sends the messages of a server or client that is connected to the engine and not started yet.
     *
     * @param endpoint its native object
     * @param key what the context has as user data
     */
    public abstract MessageSender messageSender(
            ContextEvents context, MemorySegment endpoint, long key, EndpointCalls calls);

    /** The engine is gone. */
    public final void close() {
        release();
        Upcalls.engineEnds();
    }

    /** Frees what is native. */
    abstract void release();

    /** Whether many tasks go in one native call. */
    public final boolean isBatched() {
        return this instanceof BatchedTransport;
    }

    /**
     * A server or client was made ({@code 1}) or destroyed ({@code -1}): most of their callbacks are upcalls in any
     * case.
     */
    public final void endpoints(int difference) {
        endpoints += difference;
    }

    final boolean hasEndpoints() {
        return endpoints > 0;
    }

    /** A callback has thrown what is told elsewhere, and does not fail the progress. */
    public final void countFailure() {
        callbackFailures.increment();
    }

    /** Keeps what a callback threw until the native call that ran it has returned. */
    public void fail(Throwable thrown) {
        countFailure();
        failure = Rethrow.first(failure, thrown);
    }

    /** Whether a callback threw an exception that has not been rethrown yet. */
    public final boolean hasFailed() {
        return failure != null;
    }

    /** Returns what callbacks threw and forgets it; null if none did. */
    public final Throwable takeFailure() {
        Throwable taken = failure;
        failure = null;
        return taken;
    }

    /** How many callbacks have thrown. Any thread may ask. */
    public final long callbackFailures() {
        return callbackFailures.get();
    }
}
