package io.github.comch4j.core;

import java.util.function.IntConsumer;

/** An idle strategy without state. */
class NamedIdleStrategy implements IdleStrategy {
    private final String alias;
    private final IntConsumer action;

    NamedIdleStrategy(String alias, IntConsumer action) {
        this.alias = alias;
        this.action = action;
    }

    @Override
    public final void idle(int work) {
        action.accept(work);
    }

    @Override
    public final String alias() {
        return alias;
    }

    @Override
    public String toString() {
        return alias;
    }
}
