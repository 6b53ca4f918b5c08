package io.github.comch4j.core;

import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Leaks;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.Notifications;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes progress on servers, clients, producers and consumers ({@code doca_pe}). Each of them is connected to an engine
 * at creation. All their work, and all callbacks, happen inside {@link #progress()}, or inside a call that progresses
 * the engine while it waits: {@code connect}, {@code start} with a time, {@code send} while there is no room,
 * {@code close}. Do not make such a call while iterating over a collection that callbacks change.
 *
 * {@snippet file="Pieces.java" region="progress"}
 *
 * <p>{@link EventLoop} runs such a loop on its own thread. {@link IdleStrategy} has ways to wait in a loop.
 *
 * <p><b>Threads.</b> The engine and everything connected to it belong to one thread at a time, initially the thread
 * that created it. Any other thread gets a {@link WrongThreadException}. To hand over an engine, its owner calls
 * {@link #release()} and the next thread calls {@link #takeOver()}. A thread can also take over an engine whose owner
 * has ended.
 *
 * <p><b>Waiting and interrupts.</b> These calls wait: {@link #await} and {@link #awaitEvent} of this class,
 * {@code connect}, {@code start} with a time, {@code send} while there is no room, {@link EventLoop#start} and
 * {@link EventLoop#call}, and the calls of sockets and byte channels. If the thread is interrupted before the wait has
 * ended, the call throws {@link WaitInterruptedException}, and the thread remains interrupted. If the call would have
 * returned a new object (a client, a consumer, a socket), the object is closed. Other operations continue (a task of a
 * loop, a message that was partly written to a stream). A call that does not need to wait does not check for
 * interrupts. An interrupt does not shorten closing ({@code close}, {@code disconnect}): it completes within its own
 * time limit, and the thread remains interrupted.
 *
 * <p><b>Callbacks</b> run on the owner's thread, one at a time. They may send, post, acquire and close buffers, create
 * and start contexts, and call {@link #progress()} of <em>other</em> engines. They must not call it on this engine
 * ({@link IllegalStateException}). They may close any object. If closing an object requires progress of this engine,
 * the object counts as closed from then on, and none of its handlers runs any more. It is actually closed after the
 * callback has returned, at the end of the call that ran the callback. If it cannot be closed, that call throws an
 * exception, and the object is open again.
 *
 * <p><b>Exceptions of callbacks</b> do not reach native code, and the engine remains usable. The call that ran the
 * callback, usually {@code progress()}, throws the exception after the native call has returned. Further exceptions are
 * suppressed in it.
 *
 * <p>Connections of a server have another rule, so that no client can end the loop that serves all of them. If a
 * handler throws an {@link Exception} <em>for a connection of a server</em>, the exception ends that connection, and
 * {@code progress()} continues. This applies to the connection's own handlers and to those of its producers and
 * consumers. The exception is logged as a warning (logger {@code io.github.comch4j}), recorded as an event of the
 * flight recorder, and counted by {@link #callbackFailures}. It is the cause of the
 * {@link io.github.comch4j.comch.ConnectionClosedException} that later sends throw. If the program has set
 * {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onHandlerFailed}, that handler is called instead of the
 * log, on a client too. {@code onDisconnected} runs as for any other end. The rule also covers failures that have no
 * handler, such as a failed send without {@code onCompletion}. It does not cover a handler that throws the
 * {@code ConnectionClosedException} of its own connection: the exception is ignored, and the end is reported. An
 * {@link Error}, for example of an assertion, always leaves {@code progress()}, and so does an exception of the handler
 * of a {@code poll}. Servers of DOCA 2.5 and 2.6 cannot end a single connection: there, no handler runs for the
 * connection any more, until the client leaves.
 */
public final class ProgressEngine implements AutoCloseable {
    static {
        Internals.open(ProgressEngine.class, ProgressEngine::engine);
    }

    private final Engine engine;

    private ProgressEngine(Engine engine) {
        this.engine = engine;
    }

    /**
     * Creates an engine ({@code doca_pe_create}). The engine belongs to the calling thread.
     *
     * @return the engine
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     */
    public static ProgressEngine create() {
        ProgressEngine created = new ProgressEngine(Engine.create());
        Leaks.watch(created, created.engine);
        return created;
    }

    /**
     * Handles at most one event that is ready, runs its callback, and returns at once ({@code doca_pe_progress}). Never
     * blocks.
     *
     * @return whether there was an event
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     */
    public boolean progress() {
        return engine.progress();
    }

    /**
     * Handles events as {@link #progress()} does, until none is ready, {@code limit} events were handled, or a callback
     * throws an exception.
     *
     * @param limit the most events to handle, at least 1
     * @return the number of events handled
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     */
    public int progress(int limit) {
        return progress(limit, 0);
    }

    /**
     * Handles events as {@link #progress(int)} does, but polls up to {@code spins} more times while none is ready. With
     * the batch library all polls are one native call, which notices events sooner than a loop in Java. The thread
     * waits without sleeping: a few hundred spins take a few microseconds.
     *
     * @param limit the most events to handle, at least 1
     * @param spins how many more times to poll, 0 to 65,536
     * @return the number of events handled
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     */
    public int progress(int limit, int spins) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + " is less than 1");
        }
        Engine.checkSpins(spins);
        return engine.progress(limit, spins);
    }

    /**
     * Progresses the engine until {@code condition} holds or the time is up. While there are no events it sleeps, as
     * {@link #awaitEvent} does, for at most 1 ms at a time.
     *
     * @param condition evaluated on this thread, after each event and each sleep
     * @param timeout the longest time to wait
     * @return whether the condition holds
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     */
    public boolean await(BooleanSupplier condition, Duration timeout) {
        engine.checkOwner();
        return engine.await(condition, Nanos.deadline(timeout), null);
    }

    /**
     * Releases the engine and everything connected to it. No thread may use the engine until a thread takes it over.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, if it belongs to an {@link EventLoop}, or inside one of
     *     its callbacks
     */
    public void release() {
        checkNotKept();
        engine.release();
    }

    /**
     * Makes the calling thread the owner of an engine that was released, or whose owner has ended. Actions of the
     * previous owner are visible to the new one.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed
     */
    public void takeOver() {
        engine.takeOver();
    }

    /**
     * Returns the thread that may use the engine; for the engine of an {@link EventLoop}, the loop's thread. Any thread
     * may call it.
     *
     * @return the owner; null if the engine is released or closed
     */
    public @Nullable Thread owner() {
        return engine.owner();
    }

    /**
     * Returns how long closing and blocking sends wait; initially 10 seconds.
     *
     * @return the time
     */
    public Duration timeout() {
        return engine.timeout();
    }

    /**
     * Sets how long closing and blocking sends wait.
     *
     * @param timeout the time, not negative
     * @return this
     * @throws WrongThreadException if another thread owns the engine
     */
    public ProgressEngine setTimeout(Duration timeout) {
        engine.timeout(timeout);
        return this;
    }

    /**
     * Returns the number of tasks in flight, of all contexts on the engine ({@code doca_pe_get_num_inflight_tasks}).
     *
     * @return a snapshot
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed
     */
    public long inFlight() {
        return Notifications.inFlight(engine);
    }

    /**
     * Returns how many times the program, or calls that wait, have polled the engine for progress. Any thread may call
     * it.
     *
     * @return the count since the engine was created
     */
    public long polls() {
        return engine.polls();
    }

    /**
     * Returns the number of events that progress has handled. Any thread may call it.
     *
     * @return the count since the engine was created
     */
    public long events() {
        return engine.events();
    }

    /**
     * Returns the number of callbacks that threw an exception. Any thread may call it.
     *
     * @return the count since the engine was created
     */
    public long callbackFailures() {
        return engine.callbackFailures();
    }

    /**
     * Returns the descriptor that becomes readable when an armed engine has something to do
     * ({@code doca_pe_get_notification_handle}). Use it in {@code epoll} loops of the program; see {@link #awaitEvent}.
     * The descriptor belongs to the engine.
     *
     * @return a file descriptor
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed
     */
    public int notificationHandle() {
        return Notifications.handle(engine);
    }

    /**
     * Arms the engine: from now on an event makes the {@linkplain #notificationHandle() descriptor} readable,
     * immediately if an event is waiting ({@code doca_pe_request_notification}).
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed
     */
    public void requestNotification() {
        Notifications.request(engine);
    }

    /**
     * Disarms the engine after a wake-up ({@code doca_pe_clear_notification}). Then call {@link #progress()} until
     * there is nothing to do.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed
     */
    public void clearNotification() {
        Notifications.clear(engine);
    }

    /**
     * Sets which contexts progress looks at after a wake-up ({@code doca_pe_set_event_mode}, since DOCA 3.0).
     *
     * @param selective true: those that had an event, or that had work when the engine was armed; false: all of them
     * @return this
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     * @throws io.github.comch4j.MissingFunctionException if the DOCA release in use lacks the function
     */
    public ProgressEngine setSelectiveEvents(boolean selective) {
        Notifications.selective(engine, selective);
        return this;
    }

    /**
     * Sleeps in the operating system until the engine has something to do, or the time is up: arms the engine, waits
     * for the descriptor, and disarms the engine. This uses no processor time, adds a few microseconds of latency, and
     * occupies the carrier of a virtual thread.
     *
     * <p>According to NVIDIA's documentation for DOCA 2.5 to 3.0, Comch has no event-triggered completions. Choose a
     * time after which progressing without an event does no harm. The emulated device does raise events.
     *
     * @param timeout the longest time to sleep; at least 1 ms
     * @return whether there was an event, possibly a false alarm; call {@link #progress()} in either case
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     * @throws WaitInterruptedException if the thread is interrupted; the method notices an interrupt within 50 ms
     */
    public boolean awaitEvent(Duration timeout) {
        return Notifications.await(engine, timeout);
    }

    /**
     * Returns whether {@link #close()} was called. Any thread may call it.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /**
     * Closes the engine ({@code doca_pe_destroy}). First closes everything that is connected to the engine, and
     * progresses until it has ended. A released engine is taken over first. Inside one of its callbacks, the engine
     * closes after the callback has returned. A second call does nothing.
     *
     * @throws WrongThreadException if another thread owns the engine, or owns the engine of a producer or consumer that
     *     must be closed with it
     * @throws IllegalStateException if the engine belongs to an {@link EventLoop}
     * @throws io.github.comch4j.DocaException if an operation does not end within {@link #timeout()}; the engine is
     *     then still open
     */
    @Override
    public void close() {
        checkNotKept();
        engine.close();
    }

    private void checkNotKept() {
        LoopThread loop = engine.loopThread();
        if (loop != null) {
            engine.checkOwner();
            throw new IllegalStateException("the engine belongs to the " + loop + "; close the event loop instead");
        }
    }

    Engine engine() {
        return engine;
    }

    /**
     * Returns a description for logs.
     *
     * @return the kind of object and its owner
     */
    @Override
    public String toString() {
        Thread owner = engine.owner();
        return "progress engine of " + (owner == null ? "no thread" : owner.getName());
    }
}
