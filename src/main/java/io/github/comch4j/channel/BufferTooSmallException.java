package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/** Thrown when the next message is longer than the memory to receive it into. The message stays the next one. */
public final class BufferTooSmallException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** How long it is. */
    private final int length;

    BufferTooSmallException(int length, long room, String function, String action) {
        super(Failures.refused(
                DocaError.INVALID_VALUE,
                function,
                action + " into " + room + " bytes; the next message has " + length + " bytes"));
        this.length = length;
    }

    /**
     * Returns the length of the message.
     *
     * @return the length in bytes
     */
    public int length() {
        return length;
    }
}
