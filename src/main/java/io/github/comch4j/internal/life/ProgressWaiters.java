package io.github.comch4j.internal.life;

import java.util.ArrayList;

/** Those that an engine asks after each progress. */
final class ProgressWaiters {
    private final ArrayList<ProgressWaiter> waiters = new ArrayList<>();
    private boolean any;

    void add(ProgressWaiter waiter) {
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
            ProgressWaiter waiter = waiters.get(i);
            boolean again = true;
            try {
                again = waiter.afterProgress();
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
