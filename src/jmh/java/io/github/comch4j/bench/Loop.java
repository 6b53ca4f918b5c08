package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The engines of one thread, and waiting with them. */
final class Loop implements AutoCloseable {
    private static final long PATIENCE = 30_000_000_000L;

    private final List<ProgressEngine> engines = new ArrayList<>();

    ProgressEngine newEngine() {
        ProgressEngine engine = ProgressEngine.create();
        engines.add(engine);
        return engine;
    }

    void waitFor(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE;
        while (!condition.getAsBoolean()) {
            for (ProgressEngine engine : engines) {
                engine.progress();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited too long for " + what);
            }
        }
    }

    /** Closes the engines, and with them all that is connected to them. */
    @Override
    public void close() {
        engines.forEach(ProgressEngine::close);
    }
}
