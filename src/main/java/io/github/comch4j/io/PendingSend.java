package io.github.comch4j.io;

import io.github.comch4j.link.Framing;
import io.github.comch4j.link.MpscQueue;
import java.util.function.Supplier;

/** A message that was handed to the loop to be sent. All methods belong to the loop. */
abstract class PendingSend extends MpscQueue.Item<PendingSend> {
    final byte[] message;

    PendingSend(byte[] message) {
        this.message = message;
    }

    /** What it is, see {@link Framing}. */
    int kind() {
        return Framing.DATA;
    }

    /** Whether the program was told that it is sent: then nothing may be sent after it if it cannot be. */
    boolean isPromised() {
        return false;
    }

    /** The loop tries to send it; false if nobody wants it any more. */
    boolean begin() {
        return true;
    }

    /** There was no room: it waits on. */
    void pause() {}

    /** It was sent. */
    abstract void sent();

    /** It was not sent, and will not be. Also in a thread that found the loop closed. */
    abstract void failed(Supplier<? extends Throwable> why);
}
