package io.github.comch4j.core;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.BufferListState;
import java.util.Objects;

/**
 * A list of buffers whose data a producer sends as one payload, in list order, without first copying them together: for
 * example a header and a body, or separate records.
 *
 * <p>When a send is accepted, the library chains the buffers ({@code doca_buf_chain_list}). When the send ends, it
 * unchains them ({@code doca_buf_unchain_list}) before the completion handler runs. In between, all of them are in
 * flight. A list therefore needs no closing, and its buffers remain independent: each is closed or returned as usual,
 * can be in other lists, and can be sent alone. A program can send a list again and again, with the same buffers or
 * with others, without allocation. Each buffer after the first costs two more native calls.
 *
 * <p>While a list is in flight, it cannot be changed or sent again. Only one thread at a time may use it, normally the
 * thread of the producer's engine. The library does not check this.
 */
public final class BufferList {
    static {
        Internals.open(BufferList.class, list -> list.state);
    }

    private final BufferListState state = new BufferListState(this);

    private BufferList() {}

    /**
     * Creates a list of buffers. More buffers can be added later.
     *
     * @param buffers the buffers, in the order in which their data are sent; may be empty
     * @return the list
     * @throws IllegalArgumentException if a buffer occurs twice
     */
    public static BufferList of(Buffer... buffers) {
        BufferList list = new BufferList();
        for (Buffer buffer : buffers) {
            list.add(buffer);
        }
        return list;
    }

    /**
     * Appends a buffer. The library checks whether the buffer can be sent when the list is sent.
     *
     * @param buffer a buffer on a map of the connection's device; its data may be empty
     * @return this
     * @throws IllegalArgumentException if the buffer is in the list already
     * @throws IllegalStateException if the list is in flight
     */
    public BufferList add(Buffer buffer) {
        state.add(buffer.state());
        return this;
    }

    /**
     * Removes all buffers, without closing or returning them.
     *
     * @return this
     * @throws IllegalStateException if the list is in flight
     */
    public BufferList clear() {
        state.clear();
        return this;
    }

    /**
     * Returns the number of buffers in the list.
     *
     * @return the number
     */
    public int size() {
        return state.size();
    }

    /**
     * Returns a buffer of the list.
     *
     * @param index the position in the list, beginning at 0
     * @return the buffer
     * @throws IndexOutOfBoundsException if there is no buffer at this position
     */
    public Buffer get(int index) {
        return (Buffer) state.get(Objects.checkIndex(index, state.size())).buffer();
    }

    /**
     * Returns whether a send with this list is in flight.
     *
     * @return true between a successful send and its completion; if the producer returns sent buffers to their pool,
     *     true until it has done so
     */
    public boolean isInFlight() {
        return state.isInFlight();
    }

    /** Fails if it is in flight. */
    void checkChangeable() {
        state.checkNotInFlight();
    }

    /**
     * Returns a description for logs.
     *
     * @return how many buffers are in it
     */
    @Override
    public String toString() {
        return "the list of " + state.size() + " buffers";
    }
}
