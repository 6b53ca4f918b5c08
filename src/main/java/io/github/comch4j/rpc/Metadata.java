package io.github.comch4j.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Small keys and values that travel with a call or a response, in a frame of their own. */
final class Metadata {
    /** Bytes, of the keys and values of a call or response, with 4 bytes for each pair. */
    static final int MOST = 2048;

    private static final int PAIR = 4;

    private Metadata() {}

    /** {@code before} with one more pair; null stands for an empty one. */
    static Map<String, String> with(@Nullable Map<String, String> before, String key, String value) {
        Map<String, String> pairs = before == null ? new LinkedHashMap<>() : before;
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key of metadata must not be empty");
        }
        String replaced = pairs.put(key, Objects.requireNonNull(value, "value"));
        int size = size(pairs);
        if (size > MOST) {
            if (replaced == null) {
                pairs.remove(key);
            } else {
                pairs.put(key, replaced);
            }
            throw new IllegalArgumentException(
                    "metadata with \"" + key + "\" have " + size + " bytes; at most " + MOST + " are possible");
        }
        return pairs;
    }

    private static int size(Map<String, String> pairs) {
        int size = 0;
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            size += PAIR
                    + pair.getKey().getBytes(UTF_8).length
                    + pair.getValue().getBytes(UTF_8).length;
        }
        return size;
    }

    static byte[] write(@Nullable Map<String, String> pairs) {
        if (pairs == null || pairs.isEmpty()) {
            return OutgoingFrame.EMPTY;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size(pairs)).order(ByteOrder.LITTLE_ENDIAN);
        pairs.forEach((key, value) -> {
            byte[] first = key.getBytes(UTF_8);
            byte[] second = value.getBytes(UTF_8);
            bytes.putShort((short) first.length).putShort((short) second.length);
            bytes.put(first).put(second);
        });
        return bytes.array();
    }

    /** What is in a frame; null if nobody writes such. */
    static @Nullable Map<String, String> read(MemorySegment message, long at, int part) {
        if (part > MOST) {
            return null;
        }
        byte[] copy = message.asSlice(at, part).toArray(ValueLayout.JAVA_BYTE); // once: a peer could change it
        ByteBuffer bytes = ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN);
        Map<String, String> pairs = new LinkedHashMap<>();
        while (bytes.remaining() >= PAIR) {
            int key = Short.toUnsignedInt(bytes.getShort());
            int value = Short.toUnsignedInt(bytes.getShort());
            if (key == 0 || key + value > bytes.remaining()) {
                return null;
            }
            int begin = bytes.position();
            pairs.put(new String(copy, begin, key, UTF_8), new String(copy, begin + key, value, UTF_8));
            bytes.position(begin + key + value);
        }
        return bytes.hasRemaining() ? null : Collections.unmodifiableMap(pairs);
    }
}
