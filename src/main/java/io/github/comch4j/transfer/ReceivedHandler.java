package io.github.comch4j.transfer;

import io.github.comch4j.core.Buffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Hands what was received to the program. */
@FunctionalInterface
public interface ReceivedHandler {
    /**
     * Called for each receive that has succeeded.
     *
     * @param buffer null for a receive without one
     * @param producerId who has sent it
     * @param immediate of 0 bytes: none; valid until this returns
     */
    void received(@Nullable Buffer buffer, int producerId, MemorySegment immediate);
}
