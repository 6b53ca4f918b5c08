package io.github.comch4j.comch;

import io.github.comch4j.DocaError;

/** Learns that a control message that was accepted could not be delivered. */
@FunctionalInterface
public interface SendFailureHandler {
    /**
     * A message was lost. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection where it should have gone
     * @param error the task's status
     */
    void onSendFailed(ComchConnection connection, DocaError error);
}
