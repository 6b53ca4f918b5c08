package io.github.comch4j.io;

import io.github.comch4j.internal.handover.HandOver;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A message that was handed to the loop to be sent, and who is told when it was. */
abstract class PendingSend extends HandOver.Item<PendingSend> {
    private static final VarHandle STATE = stateHandle();

    private static final int WAITING = 0;
    private static final int SENDING = 1; // for a moment: the loop tries
    private static final int ENDED = 2;
    private static final int CANCELLED = 3;

    final byte[] message;
    private volatile int state;
    private @Nullable Throwable failure; // written before ENDED

    PendingSend(byte[] message) {
        this.message = message;
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(PendingSend.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The loop tries to send it; false if nobody wants it any more. */
    final boolean begin() {
        return STATE.compareAndSet(this, WAITING, SENDING);
    }

    /** There was no room: it waits on. */
    final void pause() {
        STATE.setRelease(this, WAITING);
    }

    /** It was sent. */
    final void sent() {
        state = ENDED;
        ended(null);
    }

    /** It was not sent, and will not be. */
    final void failed(Throwable thrown) {
        if (state == SENDING || begin()) {
            failure = thrown;
            state = ENDED;
            ended(thrown);
        }
    }

    /** Nobody waits for it any more. False if it has ended; while the loop tries, waits for that. */
    final boolean cancel() {
        while (!STATE.compareAndSet(this, WAITING, CANCELLED)) {
            int now = state;
            if (now == ENDED || now == CANCELLED) {
                return now == CANCELLED;
            }
            Thread.yield();
        }
        return true;
    }

    final boolean hasEnded() {
        return state == ENDED;
    }

    /** Why it was not sent; null if it was. Only once it has ended. */
    final @Nullable Throwable failure() {
        return failure;
    }

    /** It has ended; in the loop, or in a thread that found the loop closed. */
    abstract void ended(@Nullable Throwable thrown);
}
