package io.github.comch4j.comch;

import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.transfer.LimitedSetting;
import io.github.comch4j.transfer.ReceiveTasks;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The common part of consumers that receive into buffers ({@link ComchConsumer}) and consumers that receive into slots
 * ({@link SlotConsumer}): counts.
 */
public abstract sealed class FastPathConsumer extends FastPathEndpoint permits ComchConsumer, SlotConsumer {
    FastPathConsumer(Builder<?> settings, MemorySegment created, Resource... owners) {
        super(settings, ConsumerCalls.get(), "consumer", created, owners);
    }

    @Override
    abstract ReceiveTasks transfers();

    /**
     * Returns how many receives are posted, with a buffer or without. Any thread may call this method.
     *
     * @return receives that are posted and have not ended
     */
    public final int posted() {
        return transfers().posted();
    }

    /**
     * Returns how many sends have been received, with data or without. Any thread may call this method.
     *
     * @return sends since the consumer was started
     */
    public final long received() {
        return transfers().received.get();
    }

    /**
     * Returns the total length of the data that were received, without immediate data. Any thread may call this method.
     *
     * @return bytes
     */
    public final long receivedBytes() {
        return transfers().receivedBytes.get();
    }

    /**
     * Returns the greatest length of the immediate data of a send to this consumer
     * ({@code doca_comch_consumer_get_imm_data_len}). Any thread may call this method.
     *
     * @return bytes
     */
    public final int immediateLength() {
        return transfers().immediateLength();
    }

    /** Returns the most immediate data that a receive can have. */
    final int configureImmediates(Builder<?> settings) {
        if (settings.immediateLength != Builder.DEFAULT) {
            LimitedSetting.set(
                    "immediateLength",
                    settings.immediateLength,
                    value -> ConsumerCalls.setImmediateLength(context.object(), value, "configuring " + this),
                    connection().device(),
                    () -> Optional.of(Capabilities.of(connection().device()).maxImmediateLength()));
        }
        return ConsumerCalls.immediateLength(context.object(), "configuring " + this);
    }

    /**
     * What the builders of consumers have in common.
     *
     * @param <B> the builder's own type
     */
    abstract static sealed class Builder<B extends Builder<B>> extends FastPathEndpoint.Builder<B>
            permits ComchConsumer.Builder, SlotConsumer.Builder {
        private static final int DEFAULT = -1;

        private int immediateLength = DEFAULT;

        Builder(String type, ComchConnection connection, ProgressEngine engine) {
            super(type, connection, engine);
        }

        /** Creates the native object, once, for memory that is mapped so. */
        final MemorySegment create(String what, String hint, MemorySegment map) {
            return create(ConsumerCalls.get(), what, hint, (peer, action) -> ConsumerCalls.create(peer, map, action));
        }

        /**
         * Sets the greatest length of the immediate data of a send to the consumer
         * ({@code doca_comch_consumer_set_imm_data_len}). Default: DOCA's. With 0, each message takes slightly less
         * time, because the library does not ask DOCA for immediate data. DOCA 2.5 and 2.6 have no immediate data:
         * there, the consumer cannot be started with more than 0.
         *
         * @param bytes 0 to {@link Capabilities#maxImmediateLength()}
         * @return this
         * @throws IllegalArgumentException if {@code bytes} is negative
         */
        public B immediateLength(int bytes) {
            immediateLength = use.atLeast(0, "immediateLength", bytes);
            return self();
        }
    }
}
