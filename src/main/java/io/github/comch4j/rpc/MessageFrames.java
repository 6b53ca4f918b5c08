package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import java.lang.foreign.MemorySegment;

/** What goes out on the control path of a connection: as many frames in a message as fit. */
final class MessageFrames extends FrameQueue {
    private final ComchConnection connection;
    private final MemorySegment message;
    private final int capacity;
    private int filled; // of a message that there was no room for yet

    MessageFrames(ComchConnection connection) {
        this.connection = connection;
        this.capacity = connection.endpoint().maxMessageSize() & ~7;
        if (capacity <= Frames.HEADER) {
            throw new IllegalArgumentException("messages of " + capacity + " bytes have no room for a frame");
        }
        this.message = MemorySegment.ofArray(new byte[capacity]);
    }

    /** Sends what there is room for; the rest when it is called again, as with {@code onWritable}. */
    void flush() {
        try {
            while (hasMessage()
                    && connection.trySend(message.asSlice(0, filled)).accepted()) {
                filled = 0;
            }
        } catch (ConnectionClosedException e) {
            // its end is reported soon
        }
    }

    /** Whether no message waits for room. */
    boolean isSent() {
        return filled == 0;
    }

    private boolean hasMessage() {
        if (filled == 0) {
            filled = fill(message, 0, capacity, connection.sent());
        }
        return filled > 0;
    }

    @Override
    void clear() {
        super.clear();
        filled = 0;
    }
}
