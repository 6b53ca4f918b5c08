package io.github.comch4j.bench;

/** The sending end of the fast path, with buffers or with slots. */
interface FastPathOutlet extends Outlet {
    /** Closes the producer when all is sent, and leaves the endpoint open. */
    void closeProducer();
}
