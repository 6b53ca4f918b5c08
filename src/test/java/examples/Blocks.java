package examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** What {@link BlockClient} and {@link BlockServer} say to each other, on the control path and in immediate data. */
final class Blocks {
    enum Kind {
        READ(1),   // client: send this range; a receive is posted for it already
        WRITE(2),  // client: may I send this range?
        GRANT(3),  // server: a receive is posted where the range belongs, send
        DONE(4),   // whoever checked the data: they are what was sent
        FAILED(5); // and here they are not, or there is no such range

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("the peer does not speak this protocol");
        }
    }

    record Message(Kind kind, int crc, long request, long offset, long length) {
        static final int BYTES = 32; // as much as immediate data may have
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        private static final ValueLayout.OfLong LONG =
                ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

        static Message of(MemorySegment bytes) {
            return new Message(
                    Kind.of(bytes.byteSize() == BYTES ? bytes.get(INT, 0) : 0),
                    bytes.get(INT, 4),
                    bytes.get(LONG, 8),
                    bytes.get(LONG, 16),
                    bytes.get(LONG, 24));
        }

        MemorySegment bytes() {
            MemorySegment bytes = MemorySegment.ofArray(new byte[BYTES]);
            bytes.set(INT, 0, kind.code);
            bytes.set(INT, 4, crc);
            bytes.set(LONG, 8, request);
            bytes.set(LONG, 16, offset);
            bytes.set(LONG, 24, length);
            return bytes;
        }

        Message answer(Kind answer) {
            return new Message(answer, crc, request, offset, length);
        }
    }

    private Blocks() {}

    static int crc(MemorySegment data) {
        CRC32C crc = new CRC32C();
        crc.update(data.asByteBuffer());
        return (int) crc.getValue();
    }
}
