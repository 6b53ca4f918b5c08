package io.github.comch4j.link;

import io.github.comch4j.comch.LinkState;
import io.github.comch4j.internal.life.LoopThread;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Whether a client has a connection, for threads that wait for one, and for a handler of the program. Any thread. */
public final class Availability {
    private final LoopThread thread;
    private final Consumer<? super LinkState> onState;
    private final WaitingThreads waiting;
    private final AtomicReference<LinkState> state = new AtomicReference<>(LinkState.DISCONNECTED);

    /** {@code onState} is told of each change, in the loop. */
    public Availability(LoopThread thread, Consumer<? super LinkState> onState) {
        this.thread = thread;
        this.onState = onState;
        this.waiting = new WaitingThreads(thread);
    }

    /** The state. */
    public LinkState get() {
        return state.get();
    }

    /** The state is this one from now on. */
    public void set(LinkState now) {
        if (setUntold(now)) {
            thread.runInLoop(() -> onState.accept(now));
        }
    }

    /** As {@link #set}, without telling the handler. Returns false if it was so before, or is closed. */
    public boolean setUntold(LinkState now) {
        LinkState before = state.getAndUpdate(present -> present == LinkState.CLOSED ? present : now);
        if (before == now || before == LinkState.CLOSED) {
            return false;
        }
        waiting.wake();
        return true;
    }

    /** Whoever waits looks whether there is hope. */
    public void wakeAll() {
        waiting.wake();
    }

    /** Waits until there is a connection, the time is up, or there is no hope. Returns whether there is. */
    public boolean await(long deadline, BooleanSupplier hope) throws InterruptedException {
        waiting.await(
                () -> get() != LinkState.DISCONNECTED || !hope.getAsBoolean(), deadline, "a connection, by " + thread);
        return get() == LinkState.CONNECTED;
    }
}
