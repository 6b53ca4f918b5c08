package io.github.comch4j.bench;

/** The receiving end of the fast path, with buffers or with slots. */
interface FastPathInlet extends Inlet {
    /** One progress of its engine, which in a ping-pong is that of the sending end, too. */
    void turn();

    /** Closes the consumer, and leaves the endpoint open. */
    void closeConsumer();
}
