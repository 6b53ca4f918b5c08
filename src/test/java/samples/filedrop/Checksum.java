package samples.filedrop;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of what passes; both ends compare. */
final class Checksum {
    private final MessageDigest digest;

    Checksum() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every JVM has it
        }
    }

    void add(ByteBuffer bytes) {
        digest.update(bytes.duplicate());
    }

    /** Of all that was added; then it begins anew. */
    String sum() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
