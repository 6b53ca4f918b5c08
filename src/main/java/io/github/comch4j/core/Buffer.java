package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.InventoryCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A window on a {@link MemoryMap} ({@code doca_buf}). Producers send from buffers, and consumers receive into them,
 * without a copy.
 *
 * <pre>
 *  0              position        position + length       capacity
 *  |--- headroom ---|---- data ----------|---- room ---------|
 * </pre>
 *
 * A producer sends only the data. A receive appends to the data, into the room.
 *
 * <p>While a task with the buffer is in flight, the buffer belongs to DOCA: every method except {@link #isInFlight()},
 * {@link #isClosed()}, {@link #capacity()}, {@link #offset()} and {@link #memory()} throws
 * {@link IllegalStateException}. One buffer can be in flight in many sends of one producer at once, or in one receive,
 * or in one {@link BufferList}. A segment that the program took earlier remains usable, so the program can corrupt data
 * in flight, but nothing else.
 *
 * <p>Only one thread at a time may use a buffer, normally the thread of the producer's or consumer's engine. The
 * library does not check this.
 */
public final class Buffer implements AutoCloseable {
    static {
        Internals.open(Buffer.class, buffer -> buffer.state);
    }

    private final BufferState state;
    private final MemoryMap memory;
    private MemorySegment window;
    private final BufferResource resource;

    /** A buffer that was just taken from {@code origin}, an inventory or a pool. */
    Buffer(Resource origin, MemoryMap memory, long offset, MemorySegment window, MemorySegment handle, long length) {
        this.memory = memory;
        this.window = window;
        this.resource = new BufferResource(origin, memory, offset, window.byteSize(), handle.address());
        this.state = new BufferState(this, resource, handle.address(), window.address(), length, memory.foreignScope());
        resource.begin(state);
    }

    /**
     * Returns the window, to be read and written in place.
     *
     * @return the whole window, including headroom and room; the same object each time, until the buffer is moved
     * @throws IllegalStateException if the buffer is in flight or closed
     * @throws UnsupportedOperationException if its memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public MemorySegment segment() {
        state.checkUsable();
        memory.checkLocal();
        return window;
    }

    /**
     * Returns the data.
     *
     * @return {@link #length()} bytes, beginning at {@link #position()}; a new object each time
     * @throws IllegalStateException if the buffer is in flight or closed
     * @throws UnsupportedOperationException if its memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public MemorySegment data() {
        state.checkUsable();
        memory.checkLocal();
        return window.asSlice(state.position(), state.length());
    }

    /**
     * Returns where the data begin in the window ({@code doca_buf_get_data}).
     *
     * @return bytes
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public long position() {
        state.checkUsable();
        return state.position();
    }

    /**
     * Returns the length of the data ({@code doca_buf_get_data_len}).
     *
     * @return bytes
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public long length() {
        state.checkUsable();
        return state.length();
    }

    /**
     * Returns the length of the window ({@code doca_buf_get_len}).
     *
     * @return bytes
     */
    public long capacity() {
        return window.byteSize();
    }

    /**
     * Returns where the window begins in its map.
     *
     * @return bytes
     */
    public long offset() {
        return resource.offset;
    }

    /**
     * Returns the memory map that the buffer is a window on.
     *
     * @return the map
     */
    public MemoryMap memory() {
        return memory;
    }

    /**
     * Sets the position and length of the data ({@code doca_buf_set_data}, called when the buffer is next submitted).
     *
     * @param newPosition where the data begin in the window, in bytes
     * @param newLength the length of the data, in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the data would not be within the window
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public Buffer setData(long newPosition, long newLength) {
        state.checkUsable();
        Objects.checkFromIndexSize(newPosition, newLength, window.byteSize());
        state.moveData(newPosition, newLength);
        return this;
    }

    /**
     * Sets the length of the data, without changing their position.
     *
     * @param newLength bytes
     * @return this
     * @throws IndexOutOfBoundsException if the data would not be within the window
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public Buffer setLength(long newLength) {
        return setData(state.position(), newLength);
    }

    /**
     * Removes the data: the whole window becomes room again, as in a new buffer for receiving.
     *
     * @return this
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public Buffer clear() {
        return setData(0, 0);
    }

    /** For {@link BufferInventory#move}. */
    void moveWithin(Resource inventory, long offset, long length) {
        if (resource.origin != inventory) {
            throw new IllegalArgumentException(this + " does not belong to " + inventory.name());
        }
        state.checkUsable();
        MemorySegment target = BufferInventory.window(memory, offset, length);
        InventoryCalls.move(state.address(), target, "moving " + this + " to " + length + " bytes at " + offset);
        window = target;
        resource.offset = offset;
        state.moveWindow(target.address(), length);
    }

    /**
     * Returns DOCA's reference count ({@code doca_buf_get_refcount}).
     *
     * @return 1, unless code outside this library holds references too
     * @throws IllegalStateException if the buffer is in flight or closed
     */
    public int referenceCount() {
        state.checkUsable();
        return BufferCalls.references(state.address());
    }

    /**
     * Returns whether a task with this buffer is in flight.
     *
     * @return true between a successful send or post and its completion
     */
    public boolean isInFlight() {
        return state.inFlight() > 0;
    }

    /**
     * Returns whether the buffer is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Returns the buffer to its inventory or pool ({@code doca_buf_dec_refcount}). A second call does nothing.
     * Callbacks may call it.
     *
     * @throws IllegalStateException if the buffer is in flight
     * @throws DocaException if DOCA refuses
     */
    @Override
    public void close() {
        if (!resource.isClosed()) {
            state.checkNotInFlight();
            resource.close();
        }
    }

    /**
     * Returns a description for logs.
     *
     * @return where it was acquired
     */
    @Override
    public String toString() {
        return resource.name();
    }

    BufferState state() {
        return state;
    }

    /** Whether the program has kept what was received into it; false for what is no buffer. */
    static boolean isKept(Resource resource) {
        return resource instanceof BufferResource buffer && buffer.state.isKept();
    }

    /** Closed by the program, or by what the buffer depends on. */
    private static final class BufferResource extends Resource implements BufferState.Home {
        private final Resource origin; // its lock is held where DOCA has none
        private final MemoryMap memory;
        private long offset;
        private final long address;
        private BufferState state;

        BufferResource(Resource origin, MemoryMap memory, long offset, long size, long address) {
            super(Rank.BUFFER, "the buffer of " + size + " bytes at " + offset, origin, memory.resource());
            this.origin = origin;
            this.memory = memory;
            this.offset = offset;
            this.address = address;
        }

        void begin(BufferState ofBuffer) {
            state = ofBuffer;
            try {
                attach();
            } catch (IllegalStateException e) {
                decrementReferences();
                throw e;
            }
        }

        @Override
        protected void phaseChanged(boolean open) {
            state.closed(!open);
        }

        @Override
        protected void checkClosable() {
            if (state.inFlight() > 0) {
                state.holder().checkClosableFor(this);
            }
        }

        @Override
        protected @Nullable Engine busyEngine() {
            return state.inFlight() > 0 ? state.holder().busyEngineOf() : null;
        }

        @Override
        public @Nullable LoopThread closingLoopThread() {
            return state.inFlight() > 0 && state.holder() != null
                    ? state.holder().closingLoopThread()
                    : null;
        }

        @Override
        protected void release(Teardown teardown) {
            if (state.inFlight() > 0 && !state.holder().awaitTasks(() -> state.inFlight() == 0, teardown)) {
                throw Failures.refused(
                        DocaError.TIME_OUT,
                        BufferCalls.DECREMENT_NAME,
                        "waiting for the tasks of " + state.holder().name() + " with " + name());
            }
            int code = decrementReferences();
            if (code != Calls.SUCCESS) {
                throw Failures.refused(code, BufferCalls.DECREMENT_NAME, "closing " + name());
            }
        }

        private int decrementReferences() {
            synchronized (origin) {
                synchronized (memory.lock()) {
                    return BufferCalls.decrementReferences(address);
                }
            }
        }
    }
}
