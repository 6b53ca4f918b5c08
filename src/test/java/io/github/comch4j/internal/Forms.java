package io.github.comch4j.internal;

/** Tells tests which form of the fast path new engines have. */
public final class Forms {
    private Forms() {
    }

    public static boolean isBatched() {
        try (Closer engine = new Closer(Engine.create())) {
            return engine.engine.ring() != null;
        }
    }

    private record Closer(Engine engine) implements AutoCloseable {
        @Override
        public void close() {
            engine.close();
        }
    }
}
