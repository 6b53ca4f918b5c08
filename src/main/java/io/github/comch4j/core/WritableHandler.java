package io.github.comch4j.core;

/**
 * Learns that there is room again for what could not be sent. DOCA has no such event: the library looks after each
 * progress, and only while something was refused.
 *
 * @param <S> what sends: a connection or a producer
 */
@FunctionalInterface
public interface WritableHandler<S> {
    /**
     * There is room again, or may be. Runs inside {@code progress()} of the sender's engine, once for any number of
     * refusals; when it is refused again it is called again.
     *
     * @param sender what refused
     */
    void onWritable(S sender);
}
