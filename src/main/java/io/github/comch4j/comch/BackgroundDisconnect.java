package io.github.comch4j.comch;

import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.ProgressWaiter;

/**
 * A connection that this process ends without waiting for it: for the program it has ended already. After each progress
 * it is tried to go on, until its producers and consumers are closed and DOCA has ended it.
 */
final class BackgroundDisconnect implements ProgressWaiter {
    private final ConnectionLife life;
    private boolean tells; // the program is to be told first
    private boolean closing; // of what depends on it
    private final long deadline = Nanos.deadline(ConnectionLife.LINGER); // for what is queued

    BackgroundDisconnect(ConnectionLife life, boolean tells) {
        this.life = life;
        this.tells = tells;
    }

    @Override
    public boolean afterProgress() {
        if (tells) {
            tells = false;
            life.tellEnd();
        }
        if (!closing) {
            closing = true;
            life.closeDependentsSoon();
        }
        return !life.isGone() && !life.isClosed() && (life.hasDependents() || lingers() || !life.disconnected());
    }

    private boolean lingers() {
        return life.isQueueing() && System.nanoTime() - deadline < 0;
    }

    @Override
    public void failed(Throwable thrown) {
        life.engine().transport().fail(thrown);
    }
}
