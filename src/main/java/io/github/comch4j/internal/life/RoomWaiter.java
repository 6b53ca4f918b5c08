package io.github.comch4j.internal.life;

/** Something that could not be sent for lack of room; {@link Engine#awaitRoom} has it asked after each progress. */
public interface RoomWaiter {
    /**
     * Tells the program if there may be room now. Runs as callbacks do, on the engine's thread.
     *
     * @return whether it is to be asked again
     */
    boolean serveRoom();

    /** What {@link #serveRoom} has thrown. */
    void failed(Throwable thrown);
}
