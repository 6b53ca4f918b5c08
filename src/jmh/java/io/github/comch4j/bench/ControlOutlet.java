package io.github.comch4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A client that sends messages. */
final class ControlOutlet implements Outlet {
    private static final int MANY = 256;

    private final Endpoint client;
    private final MemorySegment message;
    private long again;

    ControlOutlet(Options options, Endpoint client) {
        this.client = client;
        message = Arena.ofAuto().allocate(options.size(), 64);
        Arrivals.fill(message);
    }

    @Override
    public boolean trySend(long number) {
        message.set(ValueLayout.JAVA_LONG, 0, number);
        if (!client.connection.trySend(message).accepted()) {
            again++;
            return false;
        }
        return true;
    }

    @Override
    public void progress() {
        while (client.engine.progress(MANY) == MANY) {
            // until there is nothing more
        }
    }

    @Override
    public boolean isStopped() {
        return client.signal == Endpoint.STOP;
    }

    @Override
    public long again() {
        return again;
    }

    @Override
    public void close() {
        client.loop.waitFor("completions", client::isIdle);
        client.signal(Endpoint.DONE);
        client.close();
    }
}
