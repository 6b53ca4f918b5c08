package io.github.comch4j.channel;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/** The next message is longer than the memory to receive it into. It remains the next one. */
public final class BufferTooSmallException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** How long it is. */
    private final int length;

    BufferTooSmallException(int length, long room, String function, String action) {
        super(Failures.origin(
                DocaError.INVALID_VALUE,
                function,
                action + " into " + room + " bytes, where the next message has " + length));
        this.length = length;
    }

    /**
     * How long the message is.
     *
     * @return bytes
     */
    public int length() {
        return length;
    }
}
