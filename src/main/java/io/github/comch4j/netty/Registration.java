package io.github.comch4j.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;

/** A channel on its loop's handler. Belongs to the loop's thread. */
final class Registration implements IoRegistration {
    /** The only event: the channel looks for itself what has come. */
    private static final IoEvent READY = new IoEvent() {};

    private final ComchIoHandler handler;
    private final ComchIoHandle handle;
    private volatile boolean valid = true;
    private boolean ready; // in the handler's queue

    Registration(ComchIoHandler handler, ComchIoHandle handle) {
        this.handler = handler;
        this.handle = handle;
    }

    ComchIoHandler handler() {
        return handler;
    }

    ComchIoHandle handle() {
        return handle;
    }

    /** Something has come: queues this for the next round of the handler. */
    void ready() {
        if (valid && !ready) {
            ready = true;
            handler.enqueue(this);
        }
    }

    /** The handler has reached it in its queue: has the channel look what has come. */
    void run() {
        ready = false;
        if (valid) {
            handle.handle(this, READY);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T> T attachment() {
        return (T) this;
    }

    @Override
    public long submit(IoOps ops) {
        throw new UnsupportedOperationException("channels over Comch do not support submit()");
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public boolean cancel() {
        if (!valid) {
            return false;
        }
        valid = false;
        handler.remove(this);
        return true;
    }
}
