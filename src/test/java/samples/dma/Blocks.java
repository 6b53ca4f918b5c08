package samples.dma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What the two ends of the block device have in common. */
final class Blocks {
    static final String NAME = "blocks";

    /** Of a block, bytes. */
    static final int SIZE = 4096;

    private Blocks() {}

    /** A device of so many bytes, and the descriptor of its memory. */
    static byte[] offer(long size, byte[] descriptor) {
        byte[] bytes = new byte[Long.BYTES + descriptor.length];
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(JAVA_LONG_UNALIGNED, 0, size);
        MemorySegment.copy(descriptor, 0, message, JAVA_BYTE, Long.BYTES, descriptor.length);
        return bytes;
    }

    /** The size that an offer tells. */
    static long size(byte[] offer) {
        return MemorySegment.ofArray(offer).get(JAVA_LONG_UNALIGNED, 0);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static String text(MemorySegment message) {
        return new String(message.toArray(JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    static String sha256(MemorySegment blocks) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(blocks.asByteBuffer());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every JVM has it
        }
    }
}
