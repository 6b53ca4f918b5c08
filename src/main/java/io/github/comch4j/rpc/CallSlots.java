package io.github.comch4j.rpc;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The calls of a client on its connection, by slots that are a part of their numbers. The loop changes it. */
final class CallSlots {
    private static final int SLOT_BITS = 24;

    private volatile AtomicReferenceArray<@Nullable ClientCall> calls = new AtomicReferenceArray<>(0);
    private int[] free = {}; // slots
    private int freeCount;
    private long sequence;

    /** With room for so many, or more. */
    CallSlots(int size) {
        grow(size);
    }

    /** Shows the calls that there are. Any thread; what comes or goes meanwhile may be left out. */
    void forEach(Consumer<? super ClientCall> look) {
        AtomicReferenceArray<@Nullable ClientCall> all = calls;
        for (int slot = 0; slot < all.length(); slot++) {
            ClientCall call = all.get(slot);
            if (call != null) {
                look.accept(call);
            }
        }
    }

    /** Adds a call, and gives it its number. */
    void add(ClientCall call) {
        if (freeCount == 0) {
            grow(2 * free.length);
        }
        int slot = free[--freeCount];
        call.id = ++sequence << SLOT_BITS | slot;
        calls.set(slot, call);
    }

    private void grow(int size) {
        AtomicReferenceArray<@Nullable ClientCall> before = calls;
        AtomicReferenceArray<@Nullable ClientCall> larger = new AtomicReferenceArray<>(size);
        for (int slot = 0; slot < before.length(); slot++) {
            larger.set(slot, before.get(slot));
        }
        free = new int[size];
        for (int slot = size - 1; slot >= before.length(); slot--) {
            free[freeCount++] = slot;
        }
        calls = larger;
    }

    boolean isEmpty() {
        return freeCount == free.length;
    }

    /** The call that has this number; null if there is none, or none any more. */
    @Nullable
    ClientCall find(long id) {
        int slot = slot(id);
        ClientCall call = slot < calls.length() ? calls.get(slot) : null;
        return call != null && call.id == id ? call : null;
    }

    private static int slot(long id) {
        return (int) id & (1 << SLOT_BITS) - 1;
    }

    /** Removes a call. Returns false if it is not here. */
    boolean remove(ClientCall call) {
        if (find(call.id) != call) {
            return false;
        }
        int slot = slot(call.id);
        calls.set(slot, null);
        free[freeCount++] = slot;
        return true;
    }
}
