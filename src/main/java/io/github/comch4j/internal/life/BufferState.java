package io.github.comch4j.internal.life;

import java.lang.foreign.MemorySegment;

/**
 * The state of a {@code doca_buf}: where its data segment is, and the tasks in flight with it. The fields that each
 * message uses are together here, in one or two cache lines. One thread at a time.
 */
public final class BufferState {

    /** The owner of a buffer. */
    public interface Home {
        /** Closes the buffer. */
        void close();

        /** The name of the buffer in messages. */
        String name();

        /** Whether it is closed. */
        boolean isClosed();
    }

    private final Object buffer;
    private final Home home;
    private final long address; // of the doca_buf
    private long window;
    private final MemorySegment.Scope foreignScope;

    private volatile boolean closed;
    private long position;
    private long length;
    private boolean moved; // position or length differ from those that DOCA has
    private int inFlight;
    private Context holder; // of the tasks in flight; null if that is one with a list, or copies into it
    private Context soleHolder; // of that task
    private boolean kept; // the program has what was received into it
    private Runnable lender; // takes it back when it was handed over with a send; null: it is closed then

    /**
     * The state of a new buffer.
     *
     * @param buffer the object of the public API
     * @param home its owner
     * @param address the {@code struct doca_buf *}
     * @param window where it begins
     * @param length how long its data are
     * @param foreignScope the scope of memory that may be freed before its map is destroyed, or null
     */
    public BufferState(
            Object buffer, Home home, long address, long window, long length, MemorySegment.Scope foreignScope) {
        this.buffer = buffer;
        this.home = home;
        this.address = address;
        this.window = window;
        this.length = length;
        this.foreignScope = foreignScope;
    }

    /** It is not closed when it was handed over with a send, but taken back by {@code newLender}. */
    public void lentBy(Runnable newLender) {
        lender = newLender;
    }

    /** The object of the public API. */
    public Object buffer() {
        return buffer;
    }

    /** The {@code struct doca_buf *}. */
    public long address() {
        return address;
    }

    /** Where the data segment begins in the window, bytes. */
    public long position() {
        return position;
    }

    /** How long the data segment is, bytes. */
    public long length() {
        return length;
    }

    /** Where the data segment begins. */
    public long dataAddress() {
        return window + position;
    }

    /** Moves the data segment; DOCA gets its new place with the next submit. */
    public void moveData(long newPosition, long newLength) {
        if (newPosition != position || newLength != length) {
            position = newPosition;
            length = newLength;
            moved = true;
        }
    }

    /** DOCA has another window, all of it data. */
    public void moveWindow(long newWindow, long newLength) {
        window = newWindow;
        position = 0;
        length = newLength;
        moved = false;
    }

    /** Whether DOCA has another data segment: the caller passes it on before the submit. */
    public boolean hasMoved() {
        return moved;
    }

    /** DOCA has the data segment, or gets it with the submit. */
    public void clearMoved() {
        moved = false;
    }

    /** Closing has begun, or has failed. */
    public void closed(boolean value) {
        closed = value;
    }

    /** Whether closing has begun. */
    public boolean isClosed() {
        return closed;
    }

    /** How many tasks are in flight with it. */
    public int inFlight() {
        return inFlight;
    }

    /** Whether the program keeps what was received into it, rather than have it posted again. */
    public void keep(boolean value) {
        kept = value;
    }

    /** Whether the program keeps it, and it is not in flight again. */
    public boolean isKept() {
        return kept && inFlight == 0;
    }

    /** The context whose tasks are in flight with it, if there are any. */
    public Context holder() {
        return holder != null ? holder : soleHolder;
    }

    /** Fails if it is in flight or closed. */
    public void checkUsable() {
        if (closed || inFlight != 0) {
            throw unusable();
        }
    }

    /** Fails if it is in flight. */
    public void checkNotInFlight() {
        if (inFlight > 0) {
            throw unusable();
        }
    }

    private IllegalStateException unusable() {
        return new IllegalStateException(
                home.name() + (closed ? " is closed" : " is in flight with " + holder().name()));
    }

    /**
     * Before a task of {@code context} with the buffer is submitted or queued: checks it and counts it as in flight.
     */
    public void beginTask(Context context) {
        if (closed || (inFlight > 0 && holder != context)) {
            throw unusable();
        }
        checkMemory();
        if (holder != context) { // storing a reference costs more than comparing it
            holder = context;
        }
        inFlight++;
    }

    private void checkMemory() {
        if (foreignScope != null && !foreignScope.isAlive()) {
            throw new IllegalStateException("the memory under " + home.name() + " is gone: its arena is closed");
        }
    }

    /**
     * As {@link #beginTask}, for a task with a list that the buffer is in, or one that copies into it: no other task
     * may be in flight with it.
     */
    public void beginSoleTask(Context context) {
        checkUsable();
        checkMemory();
        holder = null; // so that beginTask refuses the buffer, with no look of its own at lists
        if (soleHolder != context) {
            soleHolder = context;
        }
        inFlight = 1;
    }

    /**
     * As {@link #beginTask}, for a received buffer that is posted again with the task it was received with, without its
     * data. False if the data segment has moved or the buffer needs all checks of {@link #beginTask}: then nothing has
     * happened.
     */
    public boolean beginEmptyTask() {
        if (closed || inFlight != 0 || position != 0 || moved || foreignScope != null) {
            return false;
        }
        length = 0;
        inFlight = 1;
        return true;
    }

    /** The task ended, or was not submitted after all; the data segment is as it was. */
    public void endTask() {
        inFlight--;
    }

    /** A receive ended: the data segment is {@code newLength} bytes long now. */
    public void endTask(long newLength) {
        inFlight--;
        length = newLength;
    }

    /** A copy into it, alone or with a list, has ended: the data segment is so long now. */
    public void grow(long newLength) {
        length = newLength;
    }

    /**
     * The program has handed the buffer over with a send: its lender takes it back, or else it is closed, unless it is
     * in flight or closed.
     */
    public void returnHome() {
        if (inFlight > 0 || home.isClosed()) {
            return;
        }
        if (lender != null) {
            lender.run();
        } else {
            home.close();
        }
    }
}
