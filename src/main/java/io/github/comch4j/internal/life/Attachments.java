package io.github.comch4j.internal.life;

import org.jspecify.annotations.Nullable;

/** What programs attach to connections and peers. */
public final class Attachments {
    private Attachments() {}

    /**
     * What is attached, as what the program takes it for.
     *
     * @param owner to which it is attached
     * @throws ClassCastException if it is something else; says what
     */
    public static <T> @Nullable T as(Class<T> type, @Nullable Object attached, Object owner) {
        if (attached != null && !type.isInstance(attached)) {
            throw new ClassCastException(
                    owner + " has a " + attached.getClass().getName() + " attached, not a " + type.getName());
        }
        return type.cast(attached);
    }
}
