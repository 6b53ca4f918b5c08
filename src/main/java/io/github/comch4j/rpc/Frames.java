package io.github.comch4j.rpc;

import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.core.Device;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The format of messages, see {@code docs/rpc.md}: a row of frames, each at a multiple of 8 bytes. A frame is a header
 * and a part of a body; a body that does not fit goes on in frames of kind {@link #MORE}. Numbers are little-endian.
 */
final class Frames {
    static final int HEADER = 32;

    /** The value is the method, the extra number how long the client waits, nanoseconds. */
    static final int REQUEST = 1;

    static final int RESPONSE = 2;
    /**
     * The value is an {@link RpcException.Kind}, the extra number a {@link FailureFrame}, the body a text and bytes.
     */
    static final int FAILURE = 3;
    /** The next part of the body of the same id. */
    static final int MORE = 4;
    /** The client does not wait any more. */
    static final int CANCEL = 5;
    /** The body is {@link Metadata} of the request or response with the same id, which is the next frame. */
    static final int METADATA = 6;
    /** Of no call, as the next one: the value is the id of a consumer, the extra number its size of slots. */
    static final int CONSUMER = 7;
    /** Of a server: it takes no more calls. Of a client: no call of its own is in flight, and none will come. */
    static final int GOODBYE = 8;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** As many bytes in a message as the device takes, up to this: they have room for the longest metadata. */
    private static final int MESSAGE = 4080;

    private Frames() {}

    /** The size to ask for: the default of DOCA 2.5, 2,048 bytes, has no room for the longest metadata. */
    static int messageSize(Device device) {
        return (int) Math.min(MESSAGE, Capabilities.of(device).maxMessageSize());
    }

    static void write(
            MemorySegment message, long at, int part, int kind, long id, int value, int bodyLength, long extra) {
        message.set(INT, at, part);
        message.set(INT, at + 4, kind);
        message.set(LONG, at + 8, id);
        message.set(INT, at + 16, value);
        message.set(INT, at + 20, bodyLength);
        message.set(LONG, at + 24, extra);
    }

    static int part(MemorySegment message, long at) {
        return message.get(INT, at);
    }

    static int kind(MemorySegment message, long at) {
        return message.get(INT, at + 4);
    }

    static long id(MemorySegment message, long at) {
        return message.get(LONG, at + 8);
    }

    static int value(MemorySegment message, long at) {
        return message.get(INT, at + 16);
    }

    static int bodyLength(MemorySegment message, long at) {
        return message.get(INT, at + 20);
    }

    static long extra(MemorySegment message, long at) {
        return message.get(LONG, at + 24);
    }

    /** What a frame takes up, with padding. */
    static int size(int part) {
        return HEADER + part + 7 & ~7;
    }

    /** Does something with the frames of a message. */
    interface Reader {
        /** A frame, and what came beside it; null: nothing has. Returns false if that cannot be. */
        boolean frame(MemorySegment message, long at, int part, @Nullable Map<String, String> metadata);
    }

    /** Hands over the frames of a message. Returns false if it is not made of whole and possible ones. */
    static boolean read(MemorySegment message, Reader reader) {
        long size = message.byteSize();
        long at = 0;
        Map<String, String> metadata = null; // of the next frame
        long metadataOf = 0; // the number of its call
        while (size - at >= HEADER) {
            int part = part(message, at);
            if (part < 0 || part > size - at - HEADER) {
                return false;
            }
            long id = id(message, at);
            if (kind(message, at) == METADATA) {
                metadata = Metadata.read(message, at + HEADER, part);
                metadataOf = id;
                if (metadata == null) {
                    return false;
                }
            } else {
                Map<String, String> beside = id == metadataOf ? metadata : null;
                metadata = null;
                if (!reader.frame(message, at, part, beside)) {
                    return false;
                }
            }
            at += size(part);
        }
        return at >= size;
    }
}
