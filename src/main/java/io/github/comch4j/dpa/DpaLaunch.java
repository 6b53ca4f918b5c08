package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.DpaRunCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A launched kernel, which runs once on all its threads. Any thread may use it. It cannot be closed before the kernel
 * has ended.
 */
public final class DpaLaunch implements AutoCloseable {
    private static final long ENDED = 1;

    private final DpaFunction kernel;
    private final SyncEvent completed;

    private DpaLaunch(DpaFunction kernel, SyncEvent completed) {
        this.kernel = kernel;
        this.completed = completed;
    }

    /**
     * Returns the kernel that was launched.
     *
     * @return the kernel
     */
    public DpaFunction kernel() {
        return kernel;
    }

    /**
     * Returns whether the kernel has ended on all threads.
     *
     * @return true if it has ended
     * @throws IllegalStateException if this launch is closed
     * @throws DocaException if DOCA refuses
     */
    public boolean isDone() {
        return completed.value() >= ENDED;
    }

    /**
     * Waits until the kernel has ended on all threads, as {@link SyncEvent#awaitGreater} does.
     *
     * @param timeout the longest time to wait
     * @return whether it has ended
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if this launch is closed, before or during the call
     * @throws DocaException if DOCA refuses
     */
    public boolean await(Duration timeout) throws InterruptedException {
        return completed.awaitEqual(ENDED, timeout);
    }

    /**
     * Closes the sync event that signals the end of the kernel. Waits at most a second for the end. Calling it again
     * does nothing.
     *
     * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#IN_USE} if the kernel has not ended
     */
    @Override
    public void close() {
        completed.close();
    }

    /**
     * Returns a description of this launch, for logs.
     *
     * @return a text that identifies this launch
     */
    @Override
    public String toString() {
        return "launch of " + kernel + " on " + completed.dpa();
    }

    /**
     * Builds a launch. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private static final long MOST_AWAITED = 254; // that the hardware compares

        private final OneUse use;
        private final Dpa dpa;
        private final DpaFunction kernel;
        private int threads = 1;
        private @Nullable SyncEvent waitFor;
        private long threshold;

        Builder(Dpa dpa, DpaFunction kernel) {
            this.dpa = dpa;
            this.kernel = kernel;
            this.use = new OneUse("DpaLaunch.Builder on " + dpa);
        }

        /**
         * Sets how many threads run the kernel at once. Default: 1.
         *
         * @param count 1 to {@link DpaProperties#maxThreads}
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder threads(int count) {
            threads = use.atLeast(1, "threads", count);
            return this;
        }

        /**
         * Sets when the kernel begins. Default: at once.
         *
         * @param event an event that the DPA awaits; close it only after the kernel has begun
         * @param above 0 to 254; the kernel begins when the event's value is greater
         * @return this
         */
        public Builder after(SyncEvent event, long above) {
            use.check();
            event.resource();
            waitFor = event;
            threshold = above;
            return this;
        }

        /**
         * Launches the kernel ({@code doca_dpa_kernel_launch_update_set}) with an event that the launch creates.
         *
         * @param arguments the kernel's arguments: at most 16 integers of at most 64 bits
         * @return the launch, with which you can wait for the end
         * @throws IllegalArgumentException if there are too many arguments
         * @throws IllegalStateException if the DPA is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for too many threads, for a number
         *     that cannot be compared, or for an event that is stopped or in which the DPA has no part
         */
        public DpaLaunch launch(long... arguments) {
            use.check();
            Dpa.checkArguments(kernel, arguments);
            SyncEvent completed =
                    dpa.syncEvent().publishedByDpa().awaitedByCpu().start();
            try {
                launch(false, completed, ENDED, arguments);
            } catch (RuntimeException | Error e) {
                completed.resource().closeAfter(e);
                throw e;
            }
            return new DpaLaunch(kernel, completed);
        }

        /**
         * Launches the kernel, and sets an event when the kernel has ended on all threads
         * ({@code doca_dpa_kernel_launch_update_set}).
         *
         * @param completed an event that the DPA changes; close it only after the kernel has ended
         * @param value the value to set
         * @param arguments the kernel's arguments: at most 16 integers of at most 64 bits
         * @throws IllegalArgumentException if there are too many arguments
         * @throws IllegalStateException if the DPA or the event is closed
         * @throws DocaException if DOCA refuses
         */
        public void launchAndSet(SyncEvent completed, long value, long... arguments) {
            launch(false, completed, value, arguments);
        }

        /**
         * Launches the kernel as {@link #launchAndSet} does, but adds to the event
         * ({@code doca_dpa_kernel_launch_update_add}).
         *
         * @param completed an event that the DPA changes; close it only after the kernel has ended
         * @param value the value to add
         * @param arguments the kernel's arguments: at most 16 integers of at most 64 bits
         */
        public void launchAndAdd(SyncEvent completed, long value, long... arguments) {
            launch(true, completed, value, arguments);
        }

        // DOCA need not check any of these

        private void check(SyncEvent event) {
            event.resource().checkOpen();
            if (!event.isFor(dpa)) {
                throw refused(event + " is stopped, or is not for kernels of this DPA");
            }
        }

        private DocaException refused(String reason) {
            return Failures.refused(
                    DocaError.INVALID_VALUE,
                    "doca_dpa_kernel_launch_update_…",
                    "launching " + kernel + " on " + dpa + ": " + reason);
        }

        private void checkNumbers() {
            if (threshold < 0 || threshold > MOST_AWAITED) {
                throw refused("the threshold of the event must be 0 to " + MOST_AWAITED + ", not " + threshold);
            }
            int most = threads == 1 ? 1 : dpa.properties().maxThreads();
            if (threads > most) {
                throw refused("a launch can have at most " + most + " threads, not " + threads);
            }
        }

        private void launch(boolean add, SyncEvent completed, long value, long[] arguments) {
            use.check();
            Dpa.checkArguments(kernel, arguments);
            checkNumbers();
            check(completed);
            if (waitFor != null) {
                check(waitFor);
            }
            MemorySegment target = completed.resource().handle();
            MemorySegment source =
                    waitFor == null ? MemorySegment.NULL : waitFor.resource().handle();
            use.begin();
            dpa.resource()
                    .use(
                            "launching " + kernel + " on " + dpa,
                            (handle, action) -> DpaRunCalls.launch(
                                    add,
                                    handle,
                                    source,
                                    threshold,
                                    target,
                                    value,
                                    threads,
                                    kernel.addressFor(dpa),
                                    arguments,
                                    action));
        }
    }
}
