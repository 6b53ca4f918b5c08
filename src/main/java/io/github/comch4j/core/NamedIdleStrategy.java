package io.github.comch4j.core;

/** An idle strategy without state. */
record NamedIdleStrategy(String name, IdleStrategy action) implements IdleStrategy {
    @Override
    public void idle(int work) {
        action.idle(work);
    }

    @Override
    public String toString() {
        return name;
    }
}
