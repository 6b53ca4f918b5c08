package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Buffer;

/** Learns that a posted buffer came back without data. */
@FunctionalInterface
public interface ReceiveFailureHandler {
    /**
     * A posted buffer came back: no producer will write into it. Runs inside {@code progress()} of the consumer's engine.
     *
     * @param consumer the consumer
     * @param buffer the buffer, the program's again
     * @param error the task's status
     */
    void onReceiveFailed(ComchConsumer consumer, Buffer buffer, DocaError error);
}
