package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.internal.call.SyncEventCalls;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.load.DocaAnswer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.LongPredicate;

/**
 * A number that the CPU and kernels can change and wait for ({@code doca_sync_event}). It is 0 at first.
 * {@link Dpa#syncEvent} creates it.
 */
public final class SyncEvent extends DpaStartedObject {
    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(SyncEvent::stop, SyncEventCalls::destroy, true);
    /** As long as DOCA waits for a thread that is stopped. */
    private static final long LONGEST_STOP = 1_000_000_000; // nanoseconds

    private final boolean onDpa;

    private SyncEvent(Dpa dpa, DpaHandle resource, boolean onDpa) {
        super(dpa, resource);
        this.onDpa = onDpa;
    }

    /** Whether kernels of this DPA, or of what it is extended to, may change and await it. */
    boolean isFor(Dpa kernels) {
        return onDpa && dpa().resource().lock() == kernels.resource().lock() && isStarted();
    }

    /** A kernel that was launched, and is going to change it, is waited for. */
    private static void stop(MemorySegment event, String action) {
        long deadline = System.nanoTime() + LONGEST_STOP;
        IdleStrategy pause = IdleStrategy.backOff();
        DocaAnswer answer = SyncEventCalls.stop(event);
        while (answer.is(DocaError.IN_USE) && System.nanoTime() - deadline < 0) {
            pause.idle(0);
            answer = SyncEventCalls.stop(event);
        }
        answer.check(action);
    }

    /**
     * Returns the value ({@code doca_sync_event_get}).
     *
     * @return the value, unsigned
     * @throws IllegalStateException if this event is closed
     * @throws DocaException if DOCA refuses
     */
    public long value() {
        return resource().askUnstopped("doca_sync_event_get", "reading " + this, SyncEventCalls::value);
    }

    /**
     * Sets the value ({@code doca_sync_event_update_set}).
     *
     * @param value the new value, unsigned
     * @throws IllegalStateException if this event is closed
     * @throws DocaException if DOCA refuses
     */
    public void set(long value) {
        resource().askUnstopped("doca_sync_event_update_set", "setting " + this, (event, action) -> {
            SyncEventCalls.set(event, value, action);
            return true;
        });
    }

    /**
     * Adds to the value ({@code doca_sync_event_update_add}).
     *
     * @param value the number to add, modulo 2 to the 64th
     * @return the previous value
     * @throws IllegalStateException if this event is closed
     * @throws DocaException if DOCA refuses
     */
    public long add(long value) {
        return resource()
                .askUnstopped(
                        "doca_sync_event_update_add",
                        "adding to " + this,
                        (event, action) -> SyncEventCalls.add(event, value, action));
    }

    /**
     * Waits until the value is greater than a number. This method polls the value, with pauses that become longer. It
     * does not use the waiting functions of DOCA, because they have no timeout.
     *
     * @param threshold the number, unsigned
     * @param timeout the longest time to wait
     * @return whether the value is greater
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if this event is closed, before or during the call
     * @throws DocaException if DOCA refuses
     */
    public boolean awaitGreater(long threshold, Duration timeout) throws InterruptedException {
        return await(value -> Long.compareUnsigned(value, threshold) > 0, timeout);
    }

    /**
     * Waits until the value equals a number, as {@link #awaitGreater} does.
     *
     * @param expected the number
     * @param timeout the longest time to wait
     * @return whether the value is equal
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if this event is closed, before or during the call
     * @throws DocaException if DOCA refuses
     */
    public boolean awaitEqual(long expected, Duration timeout) throws InterruptedException {
        return await(value -> value == expected, timeout);
    }

    private boolean await(LongPredicate done, Duration timeout) throws InterruptedException {
        long deadline = Nanos.deadline(timeout);
        IdleStrategy pause = IdleStrategy.backOff();
        while (!done.test(value())) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for " + this);
            }
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            pause.idle(0);
        }
        return true;
    }

    /**
     * Returns the handle by which kernels refer to this event ({@code doca_sync_event_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this event is closed
     * @throws DocaException if this event is stopped, or the DPA neither changes nor awaits it
     */
    public long handle() {
        return handle(
                (event, action) -> SyncEventCalls.handle(event, dpa().resource().handle(), action));
    }

    /**
     * Builds a sync event. Set at least one side that changes the event, and at least one that waits for it. These
     * settings decide where the value is stored; they do not restrict access. The CPU can always change the event and
     * wait for it, and kernels can do both if any setting names the DPA. Not thread-safe. A builder can be used only
     * once, even if DOCA refuses: afterwards every call throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Dpa dpa;
        private boolean cpuPublishes;
        private boolean dpaPublishes;
        private boolean cpuAwaits;
        private boolean dpaAwaits;

        Builder(Dpa dpa) {
            this.dpa = dpa;
            this.use = new OneUse("SyncEvent.Builder on " + dpa);
        }

        /**
         * Sets the CPU as a side that changes the event ({@code doca_sync_event_add_publisher_location_cpu}).
         *
         * @return this
         */
        public Builder publishedByCpu() {
            use.check();
            cpuPublishes = true;
            return this;
        }

        /**
         * Sets the DPA as a side that changes the event ({@code doca_sync_event_add_publisher_location_dpa}).
         *
         * @return this
         */
        public Builder publishedByDpa() {
            use.check();
            dpaPublishes = true;
            return this;
        }

        /**
         * Sets the CPU as a side that waits for the event ({@code doca_sync_event_add_subscriber_location_cpu}).
         *
         * @return this
         */
        public Builder awaitedByCpu() {
            use.check();
            cpuAwaits = true;
            return this;
        }

        /**
         * Sets the DPA as a side that waits for the event ({@code doca_sync_event_add_subscriber_location_dpa}).
         *
         * @return this
         */
        public Builder awaitedByDpa() {
            use.check();
            dpaAwaits = true;
            return this;
        }

        /**
         * Creates and starts the event ({@code doca_sync_event_create}, {@code doca_sync_event_start}).
         *
         * @return the event, whose value is 0
         * @throws IllegalStateException if the DPA is closed
         * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#INVALID_VALUE} if no side changes
         *     it, or no side waits for it
         */
        public SyncEvent start() {
            use.begin();
            DpaHandle made = dpa.make(KIND, "sync event", (owner, action) -> SyncEventCalls.create(action));
            made.start(this::configureAndStart);
            return new SyncEvent(dpa, made, dpaPublishes || dpaAwaits);
        }

        private void configureAndStart(MemorySegment event, String action) {
            MemorySegment device = dpa.deviceHandle();
            MemorySegment target = dpa.resource().handle();
            if (cpuPublishes) {
                SyncEventCalls.publishedByCpu(event, device, action);
            }
            if (dpaPublishes) {
                SyncEventCalls.publishedByDpa(event, target, action);
            }
            if (cpuAwaits) {
                SyncEventCalls.awaitedByCpu(event, device, action);
            }
            if (dpaAwaits) {
                SyncEventCalls.awaitedByDpa(event, target, action);
            }
            SyncEventCalls.start(event, action);
        }
    }
}
