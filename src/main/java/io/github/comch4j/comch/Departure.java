package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.RoomWaiter;

/**
 * A connection that this process ends without waiting for it: for the program it has ended already. After each progress
 * it is tried to go on, until its producers and consumers are closed and DOCA has ended it.
 */
final class Departure implements RoomWaiter {
    private final ConnectionLife life;
    private boolean tells; // the program is to be told first
    private boolean closing; // of what depends on it
    private final long deadline = Nanos.deadline(ConnectionLife.LINGER); // for what is queued

    Departure(ConnectionLife life, boolean tells) {
        this.life = life;
        this.tells = tells;
    }

    @Override
    public boolean serveRoom() {
        if (tells) {
            tells = false;
            life.tellEnd();
        }
        if (!closing) {
            closing = true;
            life.closeDependentsSoon();
        }
        return !life.isGone() && !life.isClosed() && (life.hasDependents() || lingers() || !disconnected());
    }

    private boolean lingers() {
        return life.isQueueing() && System.nanoTime() - deadline < 0;
    }

    /** Returns whether it has ended, or ends only with the peer or the server. */
    private boolean disconnected() {
        try {
            int code = life.tryDisconnect();
            if (code == DocaError.AGAIN.code() || code == DocaError.IN_USE.code()) {
                return false;
            }
            if (code != DocaError.SUCCESS.code()) {
                throw Failures.refused(code, ServerCalls.DISCONNECT_NAME, "ending " + life.name());
            }
        } catch (MissingFunctionException e) {
            return true; // DOCA 2.5 and 2.6: no handler runs for it any more
        }
        return true;
    }

    @Override
    public void failed(Throwable thrown) {
        life.engine().transport().fail(thrown);
    }
}
