package io.github.comch4j.internal.life;

import java.util.ArrayList;

/** Those of an engine that wait for room to send. */
final class RoomWaiters {
    private final ArrayList<RoomWaiter> waiters = new ArrayList<>();
    private boolean any;

    void add(RoomWaiter waiter) {
        waiters.add(waiter);
        any = true;
    }

    boolean areAny() {
        return any;
    }

    /** Asks each of them. */
    void serve() {
        // from the last to the first: what handlers add meanwhile is for the next time
        for (int i = waiters.size() - 1; i >= 0; i--) {
            RoomWaiter waiter = waiters.get(i);
            boolean again = true;
            try {
                again = waiter.serveRoom();
            } catch (Throwable t) {
                waiter.failed(t);
            }
            if (!again) {
                int last = waiters.size() - 1;
                waiters.set(i, waiters.get(last));
                waiters.remove(last);
            }
        }
        any = !waiters.isEmpty();
    }
}
