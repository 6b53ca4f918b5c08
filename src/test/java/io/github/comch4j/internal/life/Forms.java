package io.github.comch4j.internal.life;

/** Tells tests which form of the fast path new engines have. */
public final class Forms {
    private Forms() {}

    public static boolean isBatched() {
        try (Closer engine = new Closer(Engine.create())) {
            return engine.engine.transport().isBatched();
        }
    }

    private record Closer(Engine engine) implements AutoCloseable {
        @Override
        public void close() {
            engine.close();
        }
    }
}
