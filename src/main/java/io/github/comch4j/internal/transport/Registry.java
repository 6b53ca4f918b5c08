package io.github.comch4j.internal.transport;

import java.util.Arrays;

/**
 * Finds Java objects by the key that native code keeps as user data.
 *
 * <p>A key is a slot number and a count of registrations, so a key that outlived its object finds nothing instead of
 * the slot's next tenant. 0 is never a key. {@link #find} takes no lock and allocates nothing.
 */
public final class Registry<T> {

    /** Both arrays in one reference, so that a reader sees a matching pair. */
    private record Entries(Object[] items, long[] keys) {}

    private volatile Entries table = new Entries(new Object[64], new long[64]);
    private int registrations;

    /** Registers an object and returns its key. */
    public synchronized long add(T item) {
        Entries current = table;
        int slot = 0;
        while (slot < current.items.length && current.items[slot] != null) {
            slot++;
        }
        if (slot == current.items.length) {
            current = new Entries(Arrays.copyOf(current.items, 2 * slot), Arrays.copyOf(current.keys, 2 * slot));
        }
        registrations++;
        long key = (long) registrations << 32 | slot + 1L;
        current.keys[slot] = key;
        current.items[slot] = item;
        table = current; // volatile, also when it is the same: publishes the elements
        return key;
    }

    /** Forgets an object; a key that is unknown is ignored. */
    public synchronized void remove(long key) {
        Entries current = table;
        int slot = (int) key - 1;
        if (slot >= 0 && slot < current.items.length && current.keys[slot] == key) {
            current.items[slot] = null;
            current.keys[slot] = 0;
            table = current;
        }
    }

    /** How many objects are registered; counts them. */
    public synchronized int size() {
        int size = 0;
        for (Object item : table.items) {
            size += item == null ? 0 : 1;
        }
        return size;
    }

    /** The object of a key, or null. */
    @SuppressWarnings("unchecked")
    T find(long key) {
        Entries current = table;
        int slot = (int) key - 1;
        if (slot < 0 || slot >= current.items.length || current.keys[slot] != key) {
            return null;
        }
        return (T) current.items[slot];
    }
}
