package io.github.comch4j.cli.copy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** What the bytes of a file come to: two sums of 32 bits, both of which processors make as fast as bytes come. */
final class CopySum {
    private final CRC32C first = new CRC32C();
    private final CRC32 second = new CRC32();

    void add(ByteBuffer bytes) {
        first.update(bytes.duplicate());
        second.update(bytes.duplicate());
    }

    void addZeros(long length) {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(CopyLink.CHUNK_BYTES, length));
        for (long left = length; left > 0; left -= zeros.limit()) {
            add(zeros.limit((int) Math.min(zeros.capacity(), left)));
        }
    }

    /** The first {@code length} bytes of a file; its position is behind them afterwards. */
    void add(FileChannel file, long length, CopyLink link) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES);
        file.position(0);
        for (long left = length; left > 0; left -= buffer.limit()) {
            link.checkStopped();
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            while (buffer.hasRemaining()) {
                if (file.read(buffer) < 0) {
                    throw new EOFException("became shorter while it was copied");
                }
            }
            add(buffer.flip());
        }
    }

    private long value() {
        return first.getValue() << 32 | second.getValue();
    }

    void write(DataOutputStream out) throws IOException {
        out.writeLong(value());
    }

    boolean equalsNext(DataInputStream in) throws IOException {
        return in.readLong() == value();
    }
}
