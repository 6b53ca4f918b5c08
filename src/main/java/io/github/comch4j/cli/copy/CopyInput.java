package io.github.comch4j.cli.copy;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The stream of the other end, see {@link CopyOutput}. */
final class CopyInput {
    /** Of what follows in a record that is not the bytes of a file. */
    private static final int MOST_BYTES = 1 << 18;

    /** After so many moments without anything, reading says whether there is a gap. */
    private static final int PROBE = 100;

    private final CopyLink link;
    private final ByteBuffer bytes =
            ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES).limit(0);
    private long read;
    private int moments; // of waiting

    CopyInput(CopyLink link) {
        this.link = link;
    }

    /** Whether the next record has to be waited for. */
    boolean isIdle() {
        return !bytes.hasRemaining() && link.input().available() == 0;
    }

    /** Waits for it, for a moment or some. */
    void pause() throws IOException {
        link.pause(read);
        if (++moments % PROBE == 0) {
            fill();
        }
    }

    private void fill() throws IOException {
        bytes.compact();
        try {
            read += link.read(bytes);
        } finally {
            bytes.flip();
        }
    }

    /** The next record. What follows a {@code B} is left to {@link #next(int)}: {@code rest} is its length. */
    CopyLink.Message next() throws IOException {
        need(CopyOutput.HEADER_BYTES);
        char kind = (char) (bytes.get() & 0xff);
        int file = bytes.getInt();
        byte[] rest = new byte[Integer.BYTES];
        if (kind == 'B') {
            bytes.get(rest);
        } else {
            int length = bytes.getInt();
            if (length < 0 || length > MOST_BYTES) {
                throw CopyLink.notUnderstood();
            }
            rest = new byte[length];
            for (int at = 0; at < length; ) {
                ByteBuffer piece = next(length - at);
                int more = piece.remaining();
                piece.get(rest, at, more);
                at += more;
            }
        }
        return new CopyLink.Message(kind, file, new DataInputStream(new ByteArrayInputStream(rest)));
    }

    /** So many bytes at most, and one at least; good until the next call. */
    ByteBuffer next(int most) throws IOException {
        need(1);
        ByteBuffer piece = bytes.slice(bytes.position(), Math.min(most, bytes.remaining()));
        bytes.position(bytes.position() + piece.remaining());
        return piece;
    }

    private void need(int length) throws IOException {
        while (bytes.remaining() < length) {
            if (link.input().available() == 0) {
                pause();
            } else {
                fill();
            }
        }
    }
}
