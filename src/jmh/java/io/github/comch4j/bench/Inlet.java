package io.github.comch4j.bench;

/** The receiving end of something that carries messages one way. Belongs to one thread. */
interface Inlet extends AutoCloseable {
    /** Takes what has arrived, up to 256 messages; returns how many. */
    int poll();

    /** Tells the peer to stop, and takes what still arrives until it has. */
    void stop();

    @Override
    void close();
}
