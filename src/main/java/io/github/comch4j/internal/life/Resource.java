package io.github.comch4j.internal.life;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Something that owns a native handle, and what must be gone before it.
 *
 * <p>A resource names its owners when it is made; an owner that is closed closes its dependents first, in DOCA's order:
 * contexts of the fast path, then those of the control path, then buffers, then what those were made from. So resources
 * may be closed in any order.
 *
 * <p>Any thread may add and remove dependents. Closing runs on the calling thread, except that the thread of an event
 * loop closes what belongs to the loop. Before anything is closed, each resource of the tree is asked whether it can be
 * ({@link #checkClosable}). A resource that could not be closed stays open, so that closing can be tried again.
 */
public abstract class Resource {

    /** Order of closing, first to last. */
    public enum Rank {
        /** Producers and consumers. */
        FAST_PATH,
        /** A connection. */
        CONNECTION,
        /** Servers and clients. */
        CONTROL_PATH,
        /** Buffers. */
        BUFFER,
        /** What buffers and contexts are made from. */
        BASE
    }

    private enum Phase {
        OPEN,
        CLOSING,
        CLOSED
    }

    private final Rank rank;
    private final String name;
    private final Resource[] owners;
    private Set<Resource> dependents; // guarded by this; made when the first one comes
    private volatile Phase phase = Phase.OPEN;
    private Thread closer; // guarded by this
    private volatile boolean ending; // this, or one of its owners
    private volatile boolean closesLater; // a callback has asked for it, which has not returned yet

    /** For subclasses, which call {@link #attach} when they are complete. */
    protected Resource(Rank rank, String name, Resource... owners) {
        this.rank = rank;
        this.name = name;
        this.owners = owners;
    }

    /** Makes this known to its owners; fails if one of them is closed. */
    protected final void attach() {
        ending = ownerEnds();
        for (int i = 0; i < owners.length; i++) {
            try {
                owners[i].add(this);
            } catch (IllegalStateException e) {
                for (int j = 0; j < i; j++) {
                    owners[j].drop(this);
                }
                throw e;
            }
        }
    }

    /** Its name in messages, with an article where needed: "client \"echo\"". */
    public final String name() {
        return name;
    }

    /** Whether closing has begun. */
    public final boolean isClosed() {
        return phase != Phase.OPEN || closesLater;
    }

    /** Fails if closing has begun. */
    public final void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    /**
     * Whether this is closed, or this or one of its owners is being closed: then handlers are not called any more,
     * because what they would use to answer may be closed already.
     */
    public final boolean isEnding() {
        return ending;
    }

    /**
     * Closes what depends on this, then this; inside a callback of an engine that has to make progress for it, when the
     * callback has returned: then this is taken for closed until that, and what goes wrong fails the progress. Does
     * nothing the second time.
     */
    public final void close() {
        if (phase == Phase.CLOSED || closesLater) {
            return;
        }
        checkTreeClosable();
        markEnding(true);
        Engine busy = busyInTree();
        if (busy != null) {
            setClosesLater(true);
            busy.afterCallbacks(() -> {
                setClosesLater(false);
                close();
            });
            return;
        }
        Teardown teardown = new Teardown();
        if (!closeTree(teardown)) {
            markEnding(false);
        }
        teardown.rethrow();
    }

    private synchronized void setClosesLater(boolean later) {
        closesLater = later;
        if (phase == Phase.OPEN) {
            phaseChanged(!later);
        }
    }

    /** An engine whose callback has to return before this can be closed, or null. */
    protected Engine busyEngine() {
        return null;
    }

    private Engine busyInTree() {
        Engine busy = busyEngine();
        if (busy != null) {
            return busy;
        }
        for (Resource dependent : dependentsInOrder()) {
            busy = dependent.busyInTree();
            if (busy != null) {
                return busy;
            }
        }
        return null;
    }

    private void markEnding(boolean begins) {
        ending = begins || ownerEnds();
        for (Resource dependent : dependentsInOrder()) {
            dependent.markEnding(begins);
        }
    }

    private boolean ownerEnds() {
        for (Resource owner : owners) {
            if (owner.ending) {
                return true;
            }
        }
        return false;
    }

    /** Closes after a failure that the caller is going to throw; problems are added to that. */
    public final void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** The event loop's thread that has to close this, if that is not the calling thread; otherwise null. */
    public LoopThread closingLoopThread() {
        return null;
    }

    /**
     * While the thread of an event loop closes this: makes progress on the calling thread's engines that the closing
     * needs. Returns whether there was any.
     */
    protected boolean helpClosing(Teardown teardown) {
        return false;
    }

    /**
     * Closes as part of something else that is being closed; problems go to {@code teardown}. Returns whether it is
     * closed now.
     */
    protected final boolean closeTree(Teardown teardown) {
        LoopThread loopThread = closingLoopThread();
        if (loopThread == null) {
            return closeHere(teardown);
        }
        closeFastPaths(teardown); // their engines may belong to the calling thread
        return loopThread.close(this, teardown);
    }

    /** Closes the producers and consumers below this, on the threads that are to do so. */
    protected final void closeFastPaths(Teardown teardown) {
        for (Resource dependent : dependentsInOrder()) {
            if (dependent.rank == Rank.FAST_PATH) {
                dependent.closeTree(teardown);
            } else {
                dependent.closeFastPaths(teardown);
            }
        }
    }

    /** As {@link #closeTree}, on this thread. */
    final boolean closeHere(Teardown teardown) {
        if (!beginClosing()) {
            return phase == Phase.CLOSED;
        }
        boolean closed = false;
        try {
            beforeDependents(teardown);
            boolean free = true;
            for (Resource dependent : dependentsInOrder()) {
                free &= dependent.closeTree(teardown);
            }
            if (free) {
                release(teardown);
                closed = true;
            }
        } catch (RuntimeException | Error e) {
            teardown.add(e);
        } finally {
            endClosing(closed ? Phase.CLOSED : Phase.OPEN);
        }
        if (closed) {
            for (Resource owner : owners) {
                owner.drop(this);
            }
        }
        return closed;
    }

    /**
     * False if it is closed, or is being closed further up on this thread's stack. Another thread that is closing it is
     * waited for.
     */
    private synchronized boolean beginClosing() {
        boolean interrupted = false;
        while (phase == Phase.CLOSING && closer != Thread.currentThread()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (phase != Phase.OPEN) {
            return false;
        }
        phase = Phase.CLOSING;
        ending = true;
        closer = Thread.currentThread();
        phaseChanged(false);
        return true;
    }

    private synchronized void endClosing(Phase result) {
        phase = result;
        ending = result == Phase.CLOSED || ownerEnds();
        phaseChanged(result == Phase.OPEN);
        closer = null;
        notifyAll();
    }

    /** Fails if this cannot be closed by the calling thread, here and now. */
    protected void checkClosable() {}

    /** Closing has begun, on the thread that closes: what is to be done for all dependents together. */
    protected void beforeDependents(Teardown teardown) {}

    /** Frees the native object; called once nothing depends on this any more. Throws if the object is still there. */
    protected abstract void release(Teardown teardown);

    /** The direct dependents in the order of closing: by rank, then the newest first. */
    protected final List<Resource> dependentsInOrder() {
        List<Resource> list;
        synchronized (this) {
            list = dependents == null ? new ArrayList<>() : new ArrayList<>(dependents);
        }
        java.util.Collections.reverse(list);
        if (list.size() > 1) {
            list.sort(Comparator.comparing(dependent -> dependent.rank)); // stable
        }
        return list;
    }

    private void checkTreeClosable() {
        checkClosable();
        for (Resource dependent : dependentsInOrder()) {
            dependent.checkTreeClosable();
        }
    }

    private synchronized void add(Resource dependent) {
        checkOpen();
        if (dependents == null) {
            dependents = new LinkedHashSet<>();
        }
        dependents.add(dependent);
    }

    private void drop(Resource dependent) {
        synchronized (this) {
            if (dependents == null || !dependents.remove(dependent) || !dependents.isEmpty()) {
                return;
            }
        }
        lastDependentGone();
    }

    /** Closing has begun, has ended, or has failed. */
    protected void phaseChanged(boolean open) {}

    /** Nothing depends on this any more, for now. */
    protected void lastDependentGone() {}

    /** What depends on this and is open, in the order of closing. */
    public final List<Resource> openDependents() {
        return dependentsInOrder().stream()
                .filter(dependent -> !dependent.isClosed())
                .toList();
    }

    /** Whether anything depends on this. */
    public final synchronized boolean hasDependents() {
        return dependents != null && !dependents.isEmpty();
    }

    @Override
    public final String toString() {
        return name;
    }
}
