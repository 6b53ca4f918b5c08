package io.github.comch4j.internal.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count that one thread at a time makes and any may read, for the price of a plain store: a reader sees a number that
 * was true a moment ago, never a torn one and never one that stays behind for ever.
 */
public final class Counter {
    private static final VarHandle VALUE = handle();

    private long value;

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds one. */
    public void increment() {
        VALUE.setOpaque(this, value + 1);
    }

    /** Adds {@code amount}. */
    public void add(long amount) {
        VALUE.setOpaque(this, value + amount);
    }

    /** The count as it is now, or was a moment ago. */
    public long get() {
        return (long) VALUE.getOpaque(this);
    }
}
