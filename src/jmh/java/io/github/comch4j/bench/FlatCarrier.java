package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;

/** The fast path with slots, in place of buffers. */
final class FlatCarrier extends FastCarrier {
    @Override
    FastPathInlet inlet(Options options, Endpoint endpoint, ProgressEngine engine, Arrivals arrivals, Runnable then) {
        return new FlatInlet(options, endpoint, engine, arrivals, then);
    }

    @Override
    FastPathOutlet outlet(Options options, Endpoint endpoint, ProgressEngine engine) {
        return new FlatOutlet(options, endpoint, engine);
    }
}
