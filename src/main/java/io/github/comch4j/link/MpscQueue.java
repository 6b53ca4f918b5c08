package io.github.comch4j.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What many threads hand to one: each adds an item, without waiting; the one takes all that there are. Who adds the
 * first item is told so, and wakes the taker: one wake-up for as many items as come until it looks.
 *
 * @param <T> the items, each of which can be handed over once
 */
public final class MpscQueue<T extends MpscQueue.Item<T>> {
    /**
     * What can be handed over.
     *
     * @param <T> its own type
     */
    public abstract static class Item<T extends Item<T>> {
        private @Nullable T next;
        private int place; // how many there were, with this one

        /** For subclasses. */
        protected Item() {}

        /** The one that was handed over after this one; null: this is the last that was taken. For the taker. */
        public final @Nullable T next() {
            return next;
        }
    }

    private static final VarHandle TOP = topHandle();

    private volatile @Nullable Item<T> top; // what was added last

    /** With nothing in it. */
    public MpscQueue() {}

    private static VarHandle topHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(MpscQueue.class, "top", Item.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds an item. Returns whether there was none: then the taker is to be told. */
    @SuppressWarnings("unchecked")
    public boolean add(T item) {
        while (true) {
            Item<T> before = top;
            ((Item<T>) item).next = (T) before;
            ((Item<T>) item).place = before == null ? 1 : before.place + 1;
            if (TOP.compareAndSet(this, before, item)) {
                return before == null;
            }
        }
    }

    /** How many items there are. Any thread; more may come at any time. */
    public int size() {
        Item<T> last = top;
        return last == null ? 0 : last.place;
    }

    /** Takes all items: the one that was added first, from which {@link Item#next} leads to the others; or null. */
    @SuppressWarnings("unchecked")
    public @Nullable T takeAll() {
        if (top == null) {
            return null;
        }
        Item<T> item = (Item<T>) TOP.getAndSet(this, null);
        Item<T> first = null;
        while (item != null) {
            Item<T> before = item.next;
            item.next = (T) first;
            first = item;
            item = before;
        }
        return (T) first;
    }

    /** Shows items that nobody has taken yet. Any thread; what is taken meanwhile may be left out. */
    @SuppressWarnings("unchecked")
    public void forEach(Consumer<? super T> look) {
        // ends also while items are taken: then `next` leads to those that were added later, and they have none
        for (Item<T> item = top; item != null; item = item.next) {
            look.accept((T) item);
        }
    }
}
