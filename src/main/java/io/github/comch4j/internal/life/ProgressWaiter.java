package io.github.comch4j.internal.life;

/** What waits for something that progress brings, and no event tells: room to send, or the end of a connection. */
public interface ProgressWaiter {
    /**
     * Looks, and tells the program. Runs as callbacks do, on the engine's thread, after each progress.
     *
     * @return whether it is to be asked again
     */
    boolean afterProgress();

    /** What {@link #afterProgress} has thrown. */
    void failed(Throwable thrown);
}
