package io.github.comch4j.comch;

import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * What consumers have in common, whether they receive into buffers ({@link ComchConsumer}) or slots
 * ({@link SlotConsumer}): what is counted.
 */
public abstract sealed class FastPathConsumer extends FastPathEndpoint permits ComchConsumer, SlotConsumer {
    FastPathConsumer(Builder<?> settings, FastPathCalls calls, MemorySegment created, Resource... owners) {
        super(settings, calls, "consumer", created, owners);
    }

    @Override
    abstract IncomingTasks transfers();

    /**
     * How many receives are posted, with a buffer or without. Any thread may ask.
     *
     * @return posted, and not ended
     */
    public final int posted() {
        return transfers().posted();
    }

    /**
     * How many sends have been received, with data or without. Any thread may ask.
     *
     * @return since it was started
     */
    public final long received() {
        return transfers().received.get();
    }

    /**
     * How long the data were together that were received, without immediate data. Any thread may ask.
     *
     * @return bytes
     */
    public final long receivedBytes() {
        return transfers().receivedBytes.get();
    }

    /** A posted buffer comes back when something is received, perhaps never, or when the consumer ends. */
    @Override
    final boolean awaitTasks(BooleanSupplier done, Teardown teardown) {
        return context.closeNow(teardown) && done.getAsBoolean();
    }
}
