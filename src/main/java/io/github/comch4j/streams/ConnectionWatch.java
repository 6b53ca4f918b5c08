package io.github.comch4j.streams;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Who is told how Comch connections fare, on their loop's thread. */
public interface ConnectionWatch {
    /** Tells nobody. */
    ConnectionWatch NONE = new ConnectionWatch() {};

    /** The peer has shown that it talks the protocol: streams can be opened. */
    default void ready(Channel connection) {}

    /** The peer wants no new streams. */
    default void draining(Channel connection) {}

    /**
     * The connection has ended, and its streams with it.
     *
     * @param why null if it has just ended
     */
    default void ended(Channel connection, @Nullable Throwable why) {}
}
