package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.DpaThreadCalls;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A thread on the DPA ({@code doca_dpa_thread}). After {@link #run}, its kernel runs once for each notification of the
 * completions that name the thread. The kernel ends each run itself, with {@code doca_dpa_dev_thread_reschedule} or
 * {@code _finish}.
 */
public final class DpaThread extends DpaStartedObject {
    private final DpaFunction kernel;

    private DpaThread(Builder settings, DpaHandle resource) {
        super(settings.dpa, resource);
        this.kernel = settings.kernel;
    }

    /**
     * Returns the kernel that this thread runs.
     *
     * @return the kernel given at creation
     */
    public DpaFunction kernel() {
        return kernel;
    }

    /**
     * Lets the thread run at each notification ({@code doca_dpa_thread_run}). A notification that came before this call
     * also starts a run.
     *
     * @throws IllegalStateException if this thread is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#BAD_STATE} if this thread is stopped
     */
    public void run() {
        resource().askUnstopped("doca_dpa_thread_run", "running " + this, (thread, action) -> {
            DpaThreadCalls.run(thread, action);
            return true;
        });
    }

    /**
     * Returns the number of this thread ({@code doca_dpa_thread_get_id}).
     *
     * @return the number
     * @throws IllegalStateException if this thread is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#BAD_STATE} if this thread is stopped
     */
    public int id() {
        return resource().ask("asking " + this + " for its number", DpaThreadCalls::id);
    }

    /**
     * Builds a thread. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private static final int ANY = -1;

        private final OneUse use;
        private final Dpa dpa;
        private final DpaFunction kernel;
        private long argument;
        private @Nullable DpaMemory storage;
        private int unit = ANY;
        private @Nullable MemorySegment affinity; // of the thread alone

        Builder(Dpa dpa, DpaFunction kernel) {
            this.dpa = dpa;
            this.kernel = kernel;
            this.use = new OneUse("DpaThread.Builder on " + dpa);
        }

        /**
         * Sets the argument that the kernel gets at each run ({@code doca_dpa_thread_set_func_arg}). Default: 0.
         *
         * @param value any number, often the address of a {@link DpaMemory}
         * @return this
         */
        public Builder argument(long value) {
            use.check();
            argument = value;
            return this;
        }

        /**
         * Sets the memory that {@code doca_dpa_dev_thread_get_local_storage} returns to the kernel
         * ({@code doca_dpa_thread_set_local_storage}). Default: none.
         *
         * @param memory memory of the same DPA; must stay open as long as the thread
         * @return this
         */
        public Builder localStorage(DpaMemory memory) {
            use.check();
            memory.address();
            storage = memory;
            return this;
        }

        /**
         * Sets the execution unit on which the thread runs ({@code doca_dpa_eu_affinity_set},
         * {@code doca_dpa_thread_set_affinity}). Default: any.
         *
         * @param number the number of the execution unit, from 0
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder unit(int number) {
            unit = use.atLeast(0, "unit", number);
            return this;
        }

        /**
         * Creates and starts the thread ({@code doca_dpa_thread_create}, {@code doca_dpa_thread_start}).
         *
         * @return the thread, which waits for {@link DpaThread#run}
         * @throws IllegalStateException if the DPA is closed
         * @throws DocaException if DOCA refuses
         */
        public DpaThread start() {
            use.begin();
            DpaHandle made = dpa.make(
                    new DpaHandle.Kind(DpaThreadCalls::stop, this::destroy, true),
                    "thread of " + kernel,
                    DpaThreadCalls::create,
                    Dpa.resources(storage));
            made.start(this::configureAndStart);
            return new DpaThread(this, made);
        }

        private void configureAndStart(MemorySegment thread, String action) {
            DpaThreadCalls.setFunction(thread, kernel.addressFor(dpa), argument, action);
            if (storage != null) {
                DpaThreadCalls.setLocalStorage(thread, storage.address(), action);
            }
            if (unit != ANY) {
                MemorySegment made =
                        DpaThreadCalls.createAffinity(dpa.resource().handle(), action);
                affinity = made;
                DpaThreadCalls.setUnit(made, unit, action);
                DpaThreadCalls.setAffinity(thread, made, action);
            }
            DpaThreadCalls.start(thread, action);
        }

        private void destroy(MemorySegment thread, String action) {
            DpaThreadCalls.destroy(thread, action);
            if (affinity != null) {
                DpaThreadCalls.destroyAffinity(affinity, action);
            }
        }
    }
}
