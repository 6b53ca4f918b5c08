package io.github.comch4j.cli.perf;

import io.github.comch4j.core.ProgressEngine;

/** The receiving end of what goes one way. Belongs to one thread. Handlers of its engine count what arrives. */
class Inlet implements AutoCloseable {
    private static final int MANY = 256;

    final ProgressEngine engine;

    Inlet(ProgressEngine engine) {
        this.engine = engine;
    }

    /** Takes what has arrived; returns how many messages. */
    int poll() {
        return engine.progress(MANY);
    }

    /** Takes one message, if there is one; looks for it several times. For round trips. */
    void turn() {
        engine.progress();
    }

    @Override
    public void close() {
        // on the control path it is the connection's
    }
}
