package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.life.OneUse;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Holds the messages of consumers on the DPA, in order, for kernels to read ({@code doca_comch_consumer_completion}).
 * {@link Dpa#consumerCompletion} creates it.
 */
public final class DpaConsumerCompletion extends DpaStartedObject {
    private static final DpaHandle.Kind KIND =
            new DpaHandle.Kind(MsgqCalls::stopCompletion, MsgqCalls::destroyCompletion);

    private final int immediateLength;

    private DpaConsumerCompletion(Builder settings, DpaHandle resource) {
        super(settings.dpa, resource);
        this.immediateLength = settings.immediateLength;
    }

    /**
     * Returns the maximum length of immediate data for its consumers
     * ({@code doca_comch_consumer_completion_set_imm_data_len}).
     *
     * @return the length in bytes
     */
    public int immediateLength() {
        return immediateLength;
    }

    /**
     * Returns the handle by which kernels refer to this completion
     * ({@code doca_comch_consumer_completion_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this completion is closed
     * @throws io.github.comch4j.DocaException if this completion is stopped
     */
    public long handle() {
        return handle(MsgqCalls::completionHandle);
    }

    /**
     * Builds a consumers' completion. Not thread-safe. A builder can be used only once, even if DOCA refuses:
     * afterwards every call throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Dpa dpa;
        private int consumers = 1;
        private int receives = MessageQueue.DEFAULT_DEPTH;
        private int immediateLength = MessageQueue.DEFAULT_IMMEDIATE;
        private @Nullable DpaThread thread;

        Builder(Dpa dpa) {
            this.dpa = dpa;
            this.use = new OneUse("DpaConsumerCompletion.Builder on " + dpa);
        }

        /**
         * Sets how many consumers can be attached at a time
         * ({@code doca_comch_consumer_completion_set_max_num_consumers}). Default: 1.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder consumers(int most) {
            consumers = use.atLeast(1, "consumers", most);
            return this;
        }

        /**
         * Sets how many messages that no kernel has acknowledged the completion holds
         * ({@code doca_comch_consumer_completion_set_max_num_recv}). Further messages wait in the queues of their
         * consumers. Default: 64.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder receives(int most) {
            receives = use.atLeast(1, "receives", most);
            return this;
        }

        /**
         * Sets the maximum length of immediate data for its consumers
         * ({@code doca_comch_consumer_completion_set_imm_data_len}). Default: 32 bytes.
         *
         * @param bytes at least 1; the emulated device accepts 96
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder immediateLength(int bytes) {
            immediateLength = use.atLeast(1, "immediateLength", bytes);
            return this;
        }

        /**
         * Sets the thread that a message wakes ({@code doca_comch_consumer_completion_set_dpa_thread}). Default: none,
         * for kernels that poll.
         *
         * @param woken a thread of the same DPA
         * @return this
         */
        public Builder thread(DpaThread woken) {
            use.check();
            woken.resource();
            thread = woken;
            return this;
        }

        /**
         * Creates and starts the completion ({@code doca_comch_consumer_completion_create}, {@code …_start}).
         *
         * @return the completion, started
         * @throws IllegalStateException if the DPA or the thread is closed
         * @throws io.github.comch4j.DocaException if DOCA refuses
         */
        public DpaConsumerCompletion start() {
            use.begin();
            DpaHandle made = dpa.make(
                    KIND,
                    "completion of " + consumers + " consumers",
                    (owner, action) -> MsgqCalls.createCompletion(action),
                    Dpa.resources(thread));
            made.start(this::configureAndStart);
            return new DpaConsumerCompletion(this, made);
        }

        private void configureAndStart(MemorySegment completion, String action) {
            MsgqCalls.setConsumers(completion, consumers, action);
            MsgqCalls.setCompletionReceives(completion, receives, action);
            MsgqCalls.setCompletionImmediate(completion, immediateLength, action);
            if (thread != null) {
                MsgqCalls.setThread(completion, thread.resource().handle(), action);
            }
            MsgqCalls.startCompletion(completion, action);
        }
    }
}
