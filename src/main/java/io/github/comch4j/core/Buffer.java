package io.github.comch4j.core;

import io.github.comch4j.DocaException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.Context;
import io.github.comch4j.internal.Keeper;
import io.github.comch4j.internal.Resource;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A window on a {@link MemoryMap} ({@code doca_buf}): what producers send from and consumers receive into, without a copy.
 *
 * <pre>
 *  0              position        position + length       capacity
 *  |--- headroom ---|---- data ----------|---- room ---------|
 * </pre>
 * Only the data are sent. A receive appends to the data, into the room.
 *
 * <p>While a task with it is in flight the buffer belongs to DOCA: every method but {@link #isInFlight()}, {@link #isClosed()}, {@link #capacity()},
 * {@link #offset()} and {@link #memory()} throws {@link IllegalStateException}. One buffer may be in flight in many sends of one producer at once, or in
 * one receive. A segment that was taken before stays usable, so a program can spoil data in flight, but nothing else.
 *
 * <p>One thread at a time, normally that of the producer's or consumer's engine; there is no check.
 */
public final class Buffer implements AutoCloseable {
    // what is used for each message is here, in one or two lines of a cache; the rest is in the node
    private final MemoryMap memory;
    private final MemorySegment window;
    private final long address; // of the doca_buf
    private final Node node;
    private final MemorySegment.Scope foreignScope; // of memory that may go before its map does; else null

    private volatile boolean closed; // the node's phase, at hand; closing the memory also ends its buffers
    private long position;
    private long length;
    private boolean moved; // position or length changed since DOCA was told
    private int inFlight;
    private Context holder; // of the tasks in flight

    Buffer(BufferInventory inventory, MemoryMap memory, long offset, MemorySegment window, MemorySegment handle, long length) {
        this.memory = memory;
        this.window = window;
        this.address = handle.address();
        this.length = length;
        this.foreignScope = memory.foreignScope();
        this.node = new Node(this, inventory, offset);
    }

    /**
     * The window, to read and write in place.
     *
     * @return all of it, headroom and room included; the same object each time
     * @throws IllegalStateException if it is in flight or closed
     * @throws UnsupportedOperationException if its memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public MemorySegment segment() {
        check();
        memory.checkLocal();
        return window;
    }

    /**
     * The data.
     *
     * @return {@link #length()} bytes from {@link #position()} on; a new object each time
     * @throws IllegalStateException if it is in flight or closed
     * @throws UnsupportedOperationException if its memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public MemorySegment data() {
        check();
        memory.checkLocal();
        return window.asSlice(position, length);
    }

    /**
     * Where the data begin in the window ({@code doca_buf_get_data}).
     *
     * @return bytes
     * @throws IllegalStateException if it is in flight or closed
     */
    public long position() {
        check();
        return position;
    }

    /**
     * How long the data are ({@code doca_buf_get_data_len}).
     *
     * @return bytes
     * @throws IllegalStateException if it is in flight or closed
     */
    public long length() {
        check();
        return length;
    }

    /**
     * How long the window is ({@code doca_buf_get_len}).
     *
     * @return bytes
     */
    public long capacity() {
        return window.byteSize();
    }

    /**
     * Where the window begins in its map.
     *
     * @return bytes
     */
    public long offset() {
        return node.offset;
    }

    /**
     * What it is a window on.
     *
     * @return the map
     */
    public MemoryMap memory() {
        return memory;
    }

    /**
     * Moves the data ({@code doca_buf_set_data}, called when the buffer is submitted next).
     *
     * @param newPosition where they begin in the window, bytes
     * @param newLength how long they are, bytes
     * @return this
     * @throws IndexOutOfBoundsException if that is not within the window
     * @throws IllegalStateException if it is in flight or closed
     */
    public Buffer data(long newPosition, long newLength) {
        check();
        Objects.checkFromIndexSize(newPosition, newLength, window.byteSize());
        if (newPosition != position || newLength != length) {
            position = newPosition;
            length = newLength;
            moved = true;
        }
        return this;
    }

    /**
     * Changes the length of the data, which go on beginning where they do.
     *
     * @param newLength bytes
     * @return this
     * @throws IndexOutOfBoundsException if that is not within the window
     * @throws IllegalStateException if it is in flight or closed
     */
    public Buffer length(long newLength) {
        return data(position, newLength);
    }

    /**
     * Forgets the data: the whole window is room again, as it is for a new buffer to receive into.
     *
     * @return this
     * @throws IllegalStateException if it is in flight or closed
     */
    public Buffer clear() {
        return data(0, 0);
    }

    /**
     * DOCA's reference count ({@code doca_buf_get_refcount}).
     *
     * @return 1, unless something outside this library counts too
     * @throws IllegalStateException if it is in flight or closed
     */
    public int referenceCount() {
        check();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_SHORT);
            Calls.check("doca_buf_get_refcount", "reading a reference count",
                    () -> doca_h.doca_buf_get_refcount(MemorySegment.ofAddress(address), out));
            return Short.toUnsignedInt(out.get(ValueLayout.JAVA_SHORT, 0));
        }
    }

    /**
     * Whether a task with it is in flight.
     *
     * @return true between a successful send or post and its completion
     */
    public boolean isInFlight() {
        return inFlight > 0;
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return node.isClosed();
    }

    /**
     * Gives the buffer back to its inventory ({@code doca_buf_dec_refcount}). The second call does nothing. Allowed in callbacks.
     *
     * @throws IllegalStateException if it is in flight
     * @throws DocaException if DOCA refuses
     */
    @Override
    public void close() {
        if (!node.isClosed()) {
            checkLanded();
            node.close();
        }
    }

    /**
     * For logs.
     *
     * @return where it is
     */
    @Override
    public String toString() {
        return node.name();
    }

    private void check() {
        if (closed || inFlight != 0) {
            throw unusable();
        }
    }

    private void checkLanded() {
        if (inFlight > 0) {
            throw unusable();
        }
    }

    private IllegalStateException unusable() {
        return new IllegalStateException(node.name() + (closed ? " is closed" : " is in flight with " + holder.name()));
    }

    long address() {
        return address;
    }

    void slot(BufferPool.Slot ofPool) {
        node.slot = ofPool;
    }

    void depart(Context context) {
        if (closed || inFlight > 0 && holder != context) {
            throw unusable();
        }
        if (foreignScope != null) {
            memory.checkAlive();
        }
        if (holder != context) { // a store of a reference costs more than the look
            holder = context;
        }
        inFlight++;
    }

    /** Into the same task as before, empty, if DOCA need not be told more than that. */
    boolean departEmpty() {
        if (closed || inFlight != 0 || position != 0 || moved || foreignScope != null) {
            return false;
        }
        length = 0;
        inFlight = 1;
        return true;
    }

    /** Whether DOCA has to be told where the data are. */
    boolean hasMoved() {
        return moved;
    }

    void moveTold() {
        moved = false;
    }

    long dataAddress() {
        return window.address() + position;
    }

    long dataLength() {
        return length;
    }

    void arrive() {
        inFlight--;
    }

    void arrive(long newLength) {
        inFlight--;
        length = newLength;
    }

    /** The program has handed it over: closes it, or gives it back to its pool, unless it is in flight or closed. */
    void giveBack() {
        if (inFlight > 0 || node.isClosed()) {
            return;
        }
        if (node.slot != null) {
            node.slot.giveBack();
        } else {
            close();
        }
    }

    /** Knows its buffer; closed by the user, or by what the buffer depends on. */
    private static final class Node extends Resource {
        private final Buffer buffer;
        private final BufferInventory inventory;
        private final long offset;
        private BufferPool.Slot slot; // null: of no pool

        Node(Buffer buffer, BufferInventory inventory, long offset) {
            super(Rank.BUFFER, "the buffer of " + buffer.window.byteSize() + " bytes at " + offset, inventory.resource(),
                    buffer.memory.resource());
            this.buffer = buffer;
            this.inventory = inventory;
            this.offset = offset;
            try {
                attach();
            } catch (IllegalStateException e) {
                giveBack();
                throw e;
            }
        }

        @Override
        protected void phaseChanged(boolean open) {
            buffer.closed = !open;
        }

        @Override
        protected void checkClosable() {
            if (buffer.inFlight > 0) {
                buffer.holder.checkClosableFor(this);
            }
        }

        @Override
        public Keeper keeper() {
            Context context = buffer.holder;
            return buffer.inFlight > 0 && context != null ? context.keeper() : null;
        }

        @Override
        protected void release(Teardown teardown) {
            if (buffer.inFlight > 0 && !buffer.holder.giveBack(() -> buffer.inFlight == 0, teardown)) {
                throw new DocaException(io.github.comch4j.DocaError.TIME_OUT, "doca_buf_dec_refcount",
                        "waiting for " + buffer.holder.name() + " to give back " + name());
            }
            int code = giveBack();
            if (code != Calls.SUCCESS) {
                throw new DocaException(code, "doca_buf_dec_refcount", "giving back " + name());
            }
        }

        private int giveBack() {
            synchronized (inventory.lock()) {
                synchronized (buffer.memory.lock()) {
                    return Calls.code("doca_buf_dec_refcount",
                            () -> doca_h.doca_buf_dec_refcount(MemorySegment.ofAddress(buffer.address), MemorySegment.NULL));
                }
            }
        }
    }
}
