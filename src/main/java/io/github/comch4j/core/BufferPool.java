package io.github.comch4j.core;

import io.github.comch4j.internal.load.LibrarySettings;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pool of buffers of one size on one memory map. The pool creates the buffers once and reuses them: acquiring and
 * releasing allocate nothing. Closing the map also closes the pool.
 *
 * {@snippet file="Pieces.java" region="pool"}
 *
 * <p>A slot whose send was not accepted remains acquired: send it later, or release it. Only one thread at a time may
 * use the pool, normally the thread of the producer's or consumer's engine. The library does not check this.
 */
public final class BufferPool implements AutoCloseable {
    private final MemoryMap memory;
    private final BufferInventory inventory;
    private final long slotSize;
    private final Slot[] slots;
    private final int[] free; // used as a stack: the last one is still in the caches
    private final boolean traced = LibrarySettings.debug();
    private int freeCount;

    private BufferPool(MemoryMap memory, int count, long slotSize) {
        this.memory = memory;
        this.slotSize = slotSize;
        this.inventory = BufferInventory.createOn(memory, count);
        this.slots = new Slot[count];
        this.free = new int[count];
        try {
            for (int i = 0; i < count; i++) {
                slots[i] = new Slot(i, inventory.acquireEmpty(memory, i * slotSize, slotSize));
                free[i] = count - 1 - i;
            }
        } catch (RuntimeException | Error e) {
            inventory.close();
            throw e;
        }
        this.freeCount = count;
    }

    /**
     * Creates a pool by dividing the beginning of a map into slots, with a buffer for each. The map still belongs to
     * the caller, who should have no other buffers in that part of it.
     *
     * @param memory the map
     * @param count the number of slots, at least 1
     * @param slotSize the size of each slot in bytes, at least 1
     * @return the pool, with all slots free
     * @throws IllegalArgumentException if the slots do not fit into the map
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static BufferPool create(MemoryMap memory, int count, long slotSize) {
        if (count < 1 || slotSize < 1 || count > memory.size() / slotSize) {
            throw new IllegalArgumentException(count + " slots of " + slotSize + " bytes do not fit into " + memory);
        }
        return new BufferPool(memory, count, slotSize);
    }

    /**
     * Takes a slot, without data.
     *
     * @return the slot; null if none is free
     * @throws IllegalStateException if the pool is closed
     */
    public @Nullable Slot tryAcquire() {
        checkOpen();
        if (freeCount == 0) {
            return null;
        }
        Slot slot = slots[free[freeCount - 1]];
        slot.taken(traced);
        freeCount--;
        return slot;
    }

    /**
     * Takes a slot and copies data into it: for programs that do not need to avoid a copy.
     *
     * @param data at most {@link #slotSize()} bytes; if a slot was free, the position is moved to the limit
     * @return the slot, committed; null if none is free
     * @throws IllegalArgumentException if the data are too long
     * @throws IllegalStateException if the pool is closed
     */
    public @Nullable Slot tryAcquire(ByteBuffer data) {
        if (data.remaining() > slotSize) {
            throw new IllegalArgumentException(
                    data.remaining() + " bytes do not fit into a slot of " + slotSize + " bytes");
        }
        Slot slot = tryAcquire();
        if (slot != null) {
            slot.copy(data);
        }
        return slot;
    }

    /**
     * Takes as many slots as {@code length} bytes need, to be sent as one payload. All of them are full except the last
     * one. The program writes them by {@link BufferList#get}. {@link #release(BufferList)} releases all slots of a list
     * together; with {@code releaseSent()} the producer does so itself.
     *
     * @param list the list to which the slots are appended
     * @param length bytes, at least 1
     * @return false if too few slots are free; then none was taken
     * @throws IllegalArgumentException if {@code length} is less than 1, or more than all slots hold
     * @throws IllegalStateException if the pool is closed, or the list is in flight
     */
    public boolean tryAcquire(BufferList list, long length) {
        if (length < 1 || length > slotSize * slots.length) {
            throw new IllegalArgumentException("cannot take " + length + " bytes from a " + this);
        }
        checkOpen();
        list.checkChangeable();
        if ((length - 1) / slotSize >= freeCount) {
            return false;
        }
        for (long left = length; left > 0; left -= slotSize) {
            Slot slot = Objects.requireNonNull(tryAcquire());
            list.add(slot.commit(Math.min(left, slotSize)).buffer());
        }
        return true;
    }

    /**
     * Releases the slots of a list, and empties the list.
     *
     * @param list buffers of this pool; not in flight
     * @throws IllegalArgumentException if a buffer does not belong to this pool; then no slot was released
     * @throws IllegalStateException if the list is in flight, or a slot is not acquired
     */
    public void release(BufferList list) {
        list.checkChangeable();
        for (int i = 0; i < list.size(); i++) {
            slotOf(list.get(i)).buffer(); // is out
        }
        for (int i = 0; i < list.size(); i++) {
            slotOf(list.get(i)).release();
        }
        list.clear();
    }

    /**
     * Returns the slot of a buffer, for handlers that get the buffer.
     *
     * @param buffer a buffer of this pool
     * @return its slot
     * @throws IllegalArgumentException if the buffer does not belong to this pool
     */
    public Slot slotOf(Buffer buffer) {
        if (buffer.memory() == memory && buffer.offset() / slotSize < slots.length) {
            Slot slot = slots[(int) (buffer.offset() / slotSize)];
            if (slot.buffer == buffer) {
                return slot;
            }
        }
        throw new IllegalArgumentException(buffer + " does not belong to this pool");
    }

    /**
     * Returns the number of slots.
     *
     * @return the number that the pool was created with
     */
    public int capacity() {
        return slots.length;
    }

    /**
     * Returns the number of free slots.
     *
     * @return a snapshot
     */
    public int available() {
        return freeCount;
    }

    /**
     * Returns the size of each slot.
     *
     * @return bytes
     */
    public long slotSize() {
        return slotSize;
    }

    /**
     * Returns the memory map that the slots are on.
     *
     * @return the map
     */
    public MemoryMap memory() {
        return memory;
    }

    /**
     * Returns which slots are acquired, and with {@value io.github.comch4j.core.Doca#DEBUG_PROPERTY} where the program
     * acquired them.
     *
     * @return one line for each slot, with its stack trace, or empty
     */
    public String leaks() {
        StringBuilder text = new StringBuilder();
        for (Slot slot : slots) {
            if (slot.out) {
                text.append("slot ").append(slot.index).append(" is not released");
                if (slot.acquired == null) {
                    text.append("; run with -D")
                            .append(Doca.DEBUG_PROPERTY)
                            .append("=true to see where it was acquired\n");
                } else {
                    text.append("; it was acquired\n");
                    Arrays.stream(slot.acquired.getStackTrace())
                            .forEach(frame ->
                                    text.append("    at ").append(frame).append('\n'));
                }
            }
        }
        return text.toString();
    }

    /**
     * Closes all buffers of the pool, and waits for those in flight. Also closes a consumer to which such buffers are
     * posted. A second call does nothing.
     *
     * @throws WrongThreadException if a task in flight with one of its buffers belongs to another thread
     * @throws io.github.comch4j.DocaException if an operation does not end in time; the pool is then still open
     */
    @Override
    public void close() {
        inventory.close();
    }

    /**
     * Returns a description for logs.
     *
     * @return its size
     */
    @Override
    public String toString() {
        return "pool of " + slots.length + " buffers of " + slotSize + " bytes";
    }

    private void checkOpen() {
        if (inventory.isClosed()) {
            throw new IllegalStateException("the " + this + " is closed");
        }
    }

    /** One buffer of the pool, while the program has acquired it. */
    public final class Slot {
        private final int index;
        private final Buffer buffer;
        private boolean out;
        private @Nullable Throwable acquired;
        private @Nullable ByteBuffer view; // made when it is needed first, as it would be an object for each copy

        private Slot(int index, Buffer buffer) {
            this.index = index;
            this.buffer = buffer;
            buffer.state().lentBy(this::giveBack);
        }

        /** As release, for a buffer that may have been released already. */
        private void giveBack() {
            if (out) {
                release();
            }
        }

        private void taken(boolean trace) {
            buffer.clear(); // first: throws where the memory was closed
            out = true;
            if (trace) {
                acquired = new Throwable();
            }
        }

        /** Its data are those of the source from now on; if they cannot be read, it is free again. */
        private void copy(ByteBuffer data) {
            long length = data.remaining();
            try {
                view().put(data);
            } catch (RuntimeException e) {
                release();
                throw e;
            }
            commit(length);
        }

        private ByteBuffer view() {
            ByteBuffer made = view;
            if (made == null) {
                made = segment()
                        .asSlice(0, Math.min(slotSize, Integer.MAX_VALUE))
                        .asByteBuffer();
                view = made;
            }
            return made.clear();
        }

        /**
         * Returns the whole slot, to be written in place.
         *
         * @return {@link BufferPool#slotSize()} bytes; the same object each time
         * @throws IllegalStateException if the slot is not acquired, or in flight
         */
        public MemorySegment segment() {
            return buffer().segment();
        }

        /**
         * Returns the whole slot as an NIO buffer.
         *
         * @return a new view of {@link BufferPool#slotSize()} bytes, at position 0, big endian
         * @throws IllegalStateException if the slot is not acquired, or in flight
         */
        public ByteBuffer byteBuffer() {
            return segment().asByteBuffer();
        }

        /**
         * Sets how many bytes the program has written; these become the data of the buffer.
         *
         * @param length the number of bytes, from the beginning of the slot
         * @return this
         * @throws IndexOutOfBoundsException if that is more than the slot has
         * @throws IllegalStateException if the slot is not acquired, or in flight
         */
        public Slot commit(long length) {
            if (length < 0 || length > slotSize) {
                throw new IndexOutOfBoundsException(
                        length + " bytes do not fit into slot " + index + " of " + slotSize + " bytes");
            }
            buffer().setData(0, length);
            return this;
        }

        /**
         * Returns the buffer, for producers to send and consumers to post.
         *
         * @return the buffer
         * @throws IllegalStateException if the slot is not acquired
         */
        public Buffer buffer() {
            if (!out) {
                throw new IllegalStateException("slot " + index + " is not acquired");
            }
            return buffer;
        }

        /**
         * Releases the slot unused; the same as {@link #release()}.
         *
         * @throws IllegalStateException if the slot is not acquired, for example because it was released already, or if
         *     it is in flight
         */
        public void abort() {
            release();
        }

        /**
         * Releases the slot to its pool.
         *
         * @throws IllegalStateException if the slot is not acquired, for example because it was released already, or if
         *     it is in flight
         */
        public void release() {
            if (!out) {
                throw new IllegalStateException("slot " + index + " is released twice");
            }
            if (buffer.isInFlight()) {
                throw new IllegalStateException("slot " + index + " is in flight");
            }
            out = false;
            acquired = null;
            free[freeCount++] = index;
        }
    }
}
