package io.github.comch4j.io;

import java.util.function.Supplier;

/** A message whose thread has gone on: if it cannot be sent, a later call tells. */
final class BufferedSend extends PendingSend {
    private final SocketLink link;
    boolean added; // by another thread than the one that waited for room

    /** {@code message} is a copy. */
    BufferedSend(SocketLink link, byte[] message) {
        super(message);
        this.link = link;
    }

    @Override
    boolean isPromised() {
        return true;
    }

    @Override
    void sent() {
        // nobody asks
    }

    @Override
    void failed(Supplier<? extends Throwable> why) {
        link.losses.add(link, why);
    }
}
