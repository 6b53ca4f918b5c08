package io.github.comch4j.cli.copy;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The stream to the other end, as records: a letter, the file, how many bytes follow, these. */
final class CopyOutput {
    /** Before what follows. */
    static final int HEADER_BYTES = 9;

    private final CopyLink link;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES);

    CopyOutput(CopyLink link) {
        this.link = link;
    }

    void write(char kind, int file, CopyLink.Writing writing) throws IOException {
        write(kind, file, ByteBuffer.wrap(CopyLink.bytes(writing)));
    }

    void write(char kind, int file, ByteBuffer bytes) throws IOException {
        if (chunk.remaining() < HEADER_BYTES) {
            flush();
        }
        chunk.put((byte) kind).putInt(file).putInt(bytes.remaining());
        while (bytes.hasRemaining()) {
            if (!chunk.hasRemaining()) {
                flush();
            }
            int length = Math.min(chunk.remaining(), bytes.remaining());
            chunk.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
        }
    }

    /** Small records wait for each other until there is nothing else to do. */
    void flush() throws IOException {
        link.write(chunk.flip());
        chunk.clear();
    }
}
