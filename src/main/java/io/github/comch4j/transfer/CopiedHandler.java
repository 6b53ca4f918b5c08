package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;

/**
 * Told how a copy has ended.
 *
 * @param <T> a buffer or a list of buffers
 */
@FunctionalInterface
public interface CopiedHandler<T> {
    /** From one to the other; anything but success means that not all has been copied. */
    void copied(T from, T to, DocaError status);
}
