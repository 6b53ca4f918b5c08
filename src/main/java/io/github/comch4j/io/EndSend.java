package io.github.comch4j.io;

import io.github.comch4j.link.Framing;
import java.util.function.Supplier;

/** Tells the peer that what was added before is all; nothing is sent after it. */
final class EndSend extends PendingSend {
    private final int kind;

    /** {@link Framing#FINISHED} or {@link Framing#CLOSED}. */
    EndSend(int kind) {
        super(Framing.number(0)); // not known before it is sent
        this.kind = kind;
    }

    @Override
    int kind() {
        return kind;
    }

    @Override
    void sent() {
        // nobody asks
    }

    @Override
    void failed(Supplier<? extends Throwable> why) {
        // the connection has ended, and with it what the peer could be told
    }
}
