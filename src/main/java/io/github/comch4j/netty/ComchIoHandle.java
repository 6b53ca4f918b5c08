package io.github.comch4j.netty;

import io.netty.channel.IoHandle;

/** What a {@link ComchIoHandler} takes: a channel of this package. */
interface ComchIoHandle extends IoHandle {
    /** Begins to close the channel, when its loop ends. */
    @Override
    void close();
}
