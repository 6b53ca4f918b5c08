package io.github.comch4j.io;

import io.github.comch4j.link.Framing;
import io.github.comch4j.link.MpscQueue;
import java.util.function.Supplier;

/**
 * A message that was handed to the loop to be sent, and whose thread has gone on: if it cannot be sent, a later call
 * tells. All methods belong to the loop.
 */
class PendingSend extends MpscQueue.Item<PendingSend> {
    final byte[] message;
    private final int kind;
    private final SocketLink link;
    boolean added; // by another thread than the one that waited for room

    /** Of a kind of {@link Framing}; {@code message} is not changed by anybody. */
    PendingSend(SocketLink link, int kind, byte[] message) {
        this.link = link;
        this.kind = kind;
        this.message = message;
    }

    /** What it is, see {@link Framing}. */
    final int kind() {
        return kind;
    }

    /** Whether the program was told that it is sent: then nothing may be sent after it if it cannot be. */
    boolean isPromised() {
        return kind == Framing.DATA;
    }

    /** The loop tries to send it; false if nobody wants it any more. */
    boolean begin() {
        return true;
    }

    /** There was no room: it waits on. */
    void pause() {}

    /** It was sent. */
    void sent() {}

    /** It was not sent, and will not be. Also in a thread that found the loop closed. */
    void failed(Supplier<? extends Throwable> why) {
        if (isPromised()) {
            link.losses.add(link, why);
        }
    }
}
