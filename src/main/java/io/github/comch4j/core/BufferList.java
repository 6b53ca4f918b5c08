package io.github.comch4j.core;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.BufferListState;
import java.util.Objects;

/**
 * Buffers whose data a producer sends as one payload, in the order of the list, without bringing them together first: a
 * header and a body, or records that lie apart.
 *
 * <p>They are chained ({@code doca_buf_chain_list}) when a send is accepted, and unchained
 * ({@code doca_buf_unchain_list}) when it ends, before the completion handler runs; in between all of them are in
 * flight. So a list has nothing to close, and its buffers remain what they are: each is closed or given back as if
 * there were no list, may be in other lists, and may be sent alone. A list can be sent again and again, with the same
 * buffers or with others, which allocates nothing; each buffer after the first one costs two more native calls.
 *
 * <p>While it is in flight a list cannot be changed or sent again. One thread at a time, normally that of the
 * producer's engine; there is no check.
 */
public final class BufferList {
    static {
        Internals.open(BufferList.class, list -> list.state);
    }

    private final BufferListState state = new BufferListState(this);

    private BufferList() {}

    /**
     * A list of buffers, which may be added to later.
     *
     * @param buffers what is sent first comes first; may be none
     * @return the list
     * @throws IllegalArgumentException if a buffer is there twice
     */
    public static BufferList of(Buffer... buffers) {
        BufferList list = new BufferList();
        for (Buffer buffer : buffers) {
            list.add(buffer);
        }
        return list;
    }

    /**
     * Appends a buffer. Whether it can be sent is looked at when the list is sent.
     *
     * @param buffer on a map of the connection's device; its data may be empty
     * @return this
     * @throws IllegalArgumentException if it is in the list already
     * @throws IllegalStateException if the list is in flight
     */
    public BufferList add(Buffer buffer) {
        state.add(buffer.state());
        return this;
    }

    /**
     * Removes all buffers, which are neither closed nor given back by that.
     *
     * @return this
     * @throws IllegalStateException if the list is in flight
     */
    public BufferList clear() {
        state.clear();
        return this;
    }

    /**
     * How many buffers are in it.
     *
     * @return the number
     */
    public int size() {
        return state.size();
    }

    /**
     * One of its buffers.
     *
     * @param index its place, from 0 on
     * @return the buffer
     * @throws IndexOutOfBoundsException if there is none in that place
     */
    public Buffer get(int index) {
        return (Buffer) state.get(Objects.checkIndex(index, state.size())).buffer();
    }

    /**
     * Whether a send with it is in flight.
     *
     * @return true between a successful send and its completion, or until its buffers have been given back if the
     *     producer does that
     */
    public boolean isInFlight() {
        return state.isInFlight();
    }

    /** Fails if it is in flight. */
    void checkChangeable() {
        state.checkNotInFlight();
    }

    /**
     * For logs.
     *
     * @return how many buffers are in it
     */
    @Override
    public String toString() {
        return "the list of " + state.size() + " buffers";
    }
}
