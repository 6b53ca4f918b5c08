package io.github.comch4j.internal.life;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The one use that a builder has. One thread at a time. */
public final class OneUse {
    private final String builder;
    private boolean used;

    /**
     * The use of a new builder.
     *
     * @param builder its type, and what it makes, for the refusal
     */
    public OneUse(String builder) {
        this.builder = builder;
    }

    /** Fails if the builder has been used. */
    public void check() {
        if (used) {
            throw new IllegalStateException("the " + builder + " has been used; create a new builder for each object");
        }
    }

    /**
     * A handler of the builder, which is set once: a second one would silently take the place of the first.
     *
     * @param setting the method's name
     * @param before what is set already, or null
     */
    public <H> H once(String setting, @Nullable H before, H handler) {
        check();
        if (before != null) {
            throw new IllegalStateException(setting + " of the " + builder + " is set already");
        }
        return Objects.requireNonNull(handler, setting);
    }

    /** A setting that is a number: fails if it is less than {@code least}, or the builder has been used. */
    public int atLeast(int least, String setting, int value) {
        return (int) atLeast(least, setting, (long) value);
    }

    /** As above. */
    public long atLeast(long least, String setting, long value) {
        check();
        if (value < least) {
            throw new IllegalArgumentException(setting + " " + value + " is less than " + least);
        }
        return value;
    }

    /** The builder makes its object now, or fails to: fails if it has been used before. */
    public void begin() {
        check();
        used = true;
    }
}
