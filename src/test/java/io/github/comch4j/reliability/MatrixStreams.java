package io.github.comch4j.reliability;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Items in streams of bytes. */
final class MatrixStreams {
    private MatrixStreams() {}

    /** The next item; a stream that ends within one has no good end. */
    static int item(ReadableByteChannel from, int size) throws IOException {
        ByteBuffer item = ByteBuffer.allocate(size);
        while (item.hasRemaining()) {
            if (from.read(item) < 0) {
                if (item.position() == 0) {
                    return MatrixPath.END;
                }
                throw new EOFException("the end, within an item");
            }
        }
        return MatrixItems.number(item.array());
    }
}
