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
 * Makes things happen ({@code doca_pe}): servers, clients, producers and consumers are connected to an engine when they
 * are made, and all that they do, and all callbacks, happen inside {@link #progress()}, or inside a call that
 * progresses the engine while it waits: {@code connect}, {@code start} with a time, {@code send} while there is no
 * room, {@code close}. So a collection that callbacks change must not be iterated over around such a call.
 *
 * {@snippet file="Pieces.java" region="progress"}
 *
 * <p>{@link EventLoop} is such a loop on a thread of its own, {@link IdleStrategy} has ways to wait in it.
 *
 * <p><b>Threads.</b> The engine and everything connected to it belong to one thread at a time, at first to the one that
 * created it; any other gets a {@link WrongThreadException}. To hand over, the owner calls {@link #release()} and the
 * next one {@link #takeOver()}. An engine whose owner has ended may be taken over as well.
 *
 * <p><b>Waiting and interrupts.</b> A call of this library that waits for something, here ({@link #await},
 * {@link #awaitEvent}), in {@code connect}, {@code start} with a time and {@code send} while there is no room, in
 * {@link EventLoop#start} and {@link EventLoop#call}, in sockets and in byte channels, throws
 * {@link WaitInterruptedException} when its thread is interrupted before what it waits for is there; the thread remains
 * interrupted. What was begun is undone where the call would have returned it (a client, a consumer, a socket), and
 * goes on otherwise (a task of a loop, a message of which part of the stream has gone out). A call that need not wait
 * does not look. Closing ({@code close}, {@code disconnect}) is not cut short: it does what it has to, in the time that
 * it has, and the thread is interrupted still.
 *
 * <p><b>Callbacks</b> run on the owner's thread, one at a time. They may send, post, acquire and close buffers, create
 * and start contexts, and {@link #progress()} <em>other</em> engines; they must not progress this one
 * ({@link IllegalStateException}). They may close anything. What would have to make progress for that is taken for
 * closed from then on, no handler of it runs any more, and it is closed when the callback has returned, at the end of
 * the call that ran it; if it cannot be closed, that call throws, and it is open again.
 *
 * <p><b>What callbacks throw</b> does not reach native code, and the engine remains usable. The call that ran the
 * callback, usually {@code progress()}, throws it when the native call has returned; further ones are suppressed in it.
 *
 * <p>With one exception, so that no client of a server can end the loop that serves all of them: an {@link Exception}
 * that a handler throws <em>for a connection of a server</em>, its own handlers and those of the connection's producers
 * and consumers, ends that connection, and {@code progress()} goes on. It is a warning in the log (logger
 * {@code io.github.comch4j}), an event of the flight recorder, and counted by {@link #callbackFailures}; it is the
 * cause of the {@link io.github.comch4j.comch.ConnectionClosedException} that later sends get;
 * {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onHandlerFailed} is called in place of the log, on a
 * client, too. {@code onDisconnected} runs as for any other end. The same goes for what has no handler, such as a
 * failed send without {@code onCompletion}. A handler that meets the end of its own connection has not failed: the
 * {@code ConnectionClosedException} is ignored, the end is reported. An {@link Error}, such as that of an assertion,
 * leaves {@code progress()} in any case, and so does what the handler of a {@code poll} throws. With DOCA 2.5 and 2.6,
 * whose servers cannot end one connection, no handler runs for it any more, until the client leaves.
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
     * Creates an engine ({@code doca_pe_create}) that belongs to the calling thread.
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
     * Does at most one thing that is ready, running its callback, and returns at once ({@code doca_pe_progress}). Never
     * blocks.
     *
     * @return whether anything happened
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     */
    public boolean progress() {
        return engine.progress();
    }

    /**
     * As {@link #progress()}, until nothing is ready, {@code limit} things have happened, or a callback throws.
     *
     * @param limit the most to do, at least 1
     * @return how many things happened
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the engine is closed, or inside one of its callbacks
     */
    public int progress(int limit) {
        return progress(limit, 0);
    }

    /**
     * As {@link #progress(int)}, but looks up to {@code spins} times more while nothing is ready. With the batch
     * library that is one native call, so that what comes meanwhile is noticed sooner than by a loop in Java. The
     * thread waits without sleeping: some hundred spins take some microseconds.
     *
     * @param limit the most to do, at least 1
     * @param spins how many times more to look, 0 to 65,536
     * @return how many things happened
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
     * Progresses until {@code condition} holds or the time is up. While nothing happens it sleeps, as
     * {@link #awaitEvent} does, for a millisecond at most at a time.
     *
     * @param condition asked after each thing that happened and each sleep, on this thread
     * @param timeout how long to wait at most
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
     * Gives the engine up, with everything connected to it. Until a thread takes it over nobody may use it.
     *
     * @throws WrongThreadException if another thread owns it
     * @throws IllegalStateException if it is closed, or an {@link EventLoop}'s, or inside one of its callbacks
     */
    public void release() {
        checkNotKept();
        engine.release();
    }

    /**
     * Makes the calling thread the owner of an engine that was released, or whose owner has ended. What the previous
     * owner did is visible to it.
     *
     * @throws WrongThreadException if another thread owns it
     * @throws IllegalStateException if it is closed
     */
    public void takeOver() {
        engine.takeOver();
    }

    /**
     * The thread that may use the engine; the loop's, if it is an {@link EventLoop}'s. Any thread may ask.
     *
     * @return the owner; null when released or closed
     */
    public @Nullable Thread owner() {
        return engine.owner();
    }

    /**
     * How long closing and blocking sends wait; 10 seconds at first.
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
     * How many tasks of all contexts on it are in flight ({@code doca_pe_get_num_inflight_tasks}).
     *
     * @return a snapshot
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed
     */
    public long inFlight() {
        return Notifications.inFlight(engine);
    }

    /**
     * How many times it was asked for progress, by the program or by calls that wait. Any thread may ask.
     *
     * @return since it was created
     */
    public long polls() {
        return engine.polls();
    }

    /**
     * How many things progress has brought. Any thread may ask.
     *
     * @return since it was created
     */
    public long events() {
        return engine.events();
    }

    /**
     * How many callbacks have thrown. Any thread may ask.
     *
     * @return since it was created
     */
    public long callbackFailures() {
        return engine.callbackFailures();
    }

    /**
     * The descriptor that becomes readable when an armed engine has something to do
     * ({@code doca_pe_get_notification_handle}); for {@code epoll} loops of the program's own, see {@link #awaitEvent}.
     * It belongs to the engine.
     *
     * @return a file descriptor
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed
     */
    public int notificationHandle() {
        return Notifications.handle(engine);
    }

    /**
     * Arms the engine: from now on an event makes the {@linkplain #notificationHandle() descriptor} readable, at once
     * if there is one waiting ({@code doca_pe_request_notification}).
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed
     */
    public void requestNotification() {
        Notifications.request(engine);
    }

    /**
     * Disarms the engine after a wake-up ({@code doca_pe_clear_notification}); {@link #progress()} then, until there is
     * nothing to do.
     *
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed
     */
    public void clearNotification() {
        Notifications.clear(engine);
    }

    /**
     * Which contexts a wake-up concerns ({@code doca_pe_set_event_mode}, since DOCA 3.0).
     *
     * @param mode the mode
     * @return this
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed, or inside one of its callbacks
     * @throws io.github.comch4j.MissingFunctionException if the DOCA release in use cannot
     */
    public ProgressEngine setEventMode(EventMode mode) {
        Notifications.mode(engine, mode.code());
        return this;
    }

    /**
     * Sleeps in the operating system until the engine has something to do, or the time is up: arms it, waits for the
     * descriptor, disarms it. Costs no processor time, some microseconds of latency, and holds on to the carrier of a
     * virtual thread.
     *
     * <p>NVIDIA's documentation says, for DOCA 2.5 to 3.0, that Comch has no event-triggered completions; so choose a
     * time after which progressing without one does no harm. The emulated device raises them.
     *
     * @param timeout how long to sleep at most; 1 millisecond at least
     * @return whether there was an event, which may be a false alarm; call {@link #progress()} in either case
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if it is closed, or inside one of its callbacks
     * @throws WaitInterruptedException if the thread is interrupted, which is noticed within 50 milliseconds
     */
    public boolean awaitEvent(Duration timeout) {
        return Notifications.await(engine, timeout);
    }

    /** Which contexts a wake-up concerns ({@code enum doca_pe_event_mode}). */
    public enum EventMode {
        /** Progress looks at contexts that had an event, or work when the engine was armed. */
        SELECTIVE(Notifications.SELECTIVE),
        /** Progress looks at all contexts. */
        ALL(Notifications.ALL);

        private final int code;

        EventMode(int code) {
            this.code = code;
        }

        /**
         * The number in {@code enum doca_pe_event_mode}.
         *
         * @return the number
         */
        public int code() {
            return code;
        }
    }

    /**
     * Whether {@link #close()} was called. Any thread may ask.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /**
     * Closes everything that is connected to the engine, progressing until it has ended, then the engine
     * ({@code doca_pe_destroy}). A released engine is taken over first. In one of its callbacks it does so when the
     * callback has returned. The second call does nothing.
     *
     * @throws WrongThreadException if another thread owns it, or an engine of a producer or consumer that must be
     *     closed with it
     * @throws IllegalStateException if it is an {@link EventLoop}'s
     * @throws io.github.comch4j.DocaException if something does not end within {@link #timeout()}; the engine is still
     *     open then
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
            throw new IllegalStateException("the engine is kept by the " + loop + ": close that instead");
        }
    }

    Engine engine() {
        return engine;
    }

    /**
     * For logs.
     *
     * @return what it is and whose
     */
    @Override
    public String toString() {
        Thread owner = engine.owner();
        return "progress engine of " + (owner == null ? "no thread" : owner.getName());
    }
}
