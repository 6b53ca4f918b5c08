package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Buffer;
import org.jspecify.annotations.Nullable;

/** Learns that a posted receive came back with nothing. */
@FunctionalInterface
public interface ReceiveFailureHandler {
    /**
     * A posted receive came back: no producer will use it. Runs inside {@code progress()} of the consumer's engine.
     *
     * @param consumer the consumer
     * @param buffer the buffer, the program's again; null if the receive has none
     *     ({@link ComchConsumer#tryPostImmediate})
     * @param error the task's status
     */
    void onReceiveFailed(ComchConsumer consumer, @Nullable Buffer buffer, DocaError error);
}
