package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.failure.Failures;
import java.util.Arrays;

/**
 * The state of a list of buffers, which is sent as one payload, or copied from or to. The {@code doca_buf}s are chained
 * only while the task is in flight: DOCA would free those behind the first one together with it. One thread at a time.
 */
public final class BufferListState {
    private final Object list;
    private BufferState[] members = new BufferState[4];
    private int size;
    private boolean inFlight; // or not given back yet

    /**
     * The state of an empty list.
     *
     * @param list the object of the public API
     */
    public BufferListState(Object list) {
        this.list = list;
    }

    /** The object of the public API. */
    public Object list() {
        return list;
    }

    /** How many buffers are in it. */
    public int size() {
        return size;
    }

    /** One of its buffers, by its place. */
    public BufferState get(int index) {
        return members[index];
    }

    /** Whether it is in flight, or its buffers have not been given back yet. */
    public boolean isInFlight() {
        return inFlight;
    }

    /** How long the data of its buffers are together, bytes. */
    public long length() {
        long length = 0;
        for (int i = 0; i < size; i++) {
            length += members[i].length();
        }
        return length;
    }

    /** The {@code struct doca_buf *} of the first buffer, which stands for all while they are chained. */
    public long address() {
        return members[0].address();
    }

    /** Appends a buffer. */
    public void add(BufferState buffer) {
        checkNotInFlight();
        for (int i = 0; i < size; i++) {
            if (members[i] == buffer) {
                throw new IllegalArgumentException(buffer.buffer() + " is already in " + list);
            }
        }
        if (size == members.length) {
            members = Arrays.copyOf(members, 2 * size);
        }
        members[size++] = buffer;
    }

    /** Removes all buffers. */
    public void clear() {
        checkNotInFlight();
        Arrays.fill(members, 0, size, null);
        size = 0;
    }

    /** Fails if it is in flight. */
    public void checkNotInFlight() {
        if (inFlight) {
            throw new IllegalStateException(list + " is in flight");
        }
    }

    /**
     * Before a task of {@code context} with the list is submitted or queued: checks all buffers, counts them as in
     * flight and chains them. If it fails, nothing has happened.
     */
    public void beginTask(Context context) {
        checkNotInFlight();
        int begun = 0;
        try {
            while (begun < size) {
                members[begun].beginSoleTask(context);
                begun++;
            }
            tellMoves();
            chain();
        } catch (RuntimeException | Error e) {
            while (begun > 0) {
                members[--begun].endTask();
            }
            throw e;
        }
        inFlight = true;
    }

    private void tellMoves() {
        for (int i = 0; i < size; i++) {
            BufferState member = members[i];
            if (member.hasMoved()) {
                check(
                        BufferCalls.setData(member.address(), member.dataAddress(), member.length()),
                        BufferCalls.SET_DATA_NAME);
                member.clearMoved();
            }
        }
    }

    /** From behind, because DOCA walks to the end of the list that it appends to. */
    private void chain() {
        for (int i = size - 2; i >= 0; i--) {
            int code = BufferCalls.chain(members[i].address(), members[i + 1].address());
            if (code != Calls.SUCCESS) {
                unchain(i + 1);
                check(code, BufferCalls.CHAIN_NAME);
            }
        }
    }

    /** What is chained from {@code first} on. Returns {@code doca_error_t}. */
    private int unchain(int first) {
        int result = Calls.SUCCESS;
        for (int i = first; i < size - 1; i++) {
            int code = BufferCalls.unchain(members[i].address(), members[i + 1].address());
            result = code == Calls.SUCCESS ? result : code;
        }
        return result;
    }

    private void check(int code, String function) {
        if (code != Calls.SUCCESS) {
            throw Failures.refused(code, function, "using " + list);
        }
    }

    /**
     * The task ended, or was not submitted after all: its buffers are neither chained nor in flight any more.
     *
     * @param returning whether {@link #returnHome} follows: until then the list stays as it is
     */
    public void endTask(boolean returning) {
        int code = unchain(0);
        for (int i = 0; i < size; i++) {
            members[i].endTask();
        }
        inFlight = returning;
        check(code, BufferCalls.UNCHAIN_NAME);
    }

    /**
     * The program has handed the buffers over with a send: see {@link BufferState#returnHome}. The list is empty then.
     */
    public void returnHome() {
        inFlight = false;
        if (size == 0) {
            return;
        }
        BufferState last = members[--size];
        members[size] = null;
        try {
            last.returnHome();
        } finally {
            returnHome();
        }
    }
}
