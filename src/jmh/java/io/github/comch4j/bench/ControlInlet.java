package io.github.comch4j.bench;

import io.github.comch4j.comch.ComchConnection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BiConsumer;

/** A server that receives messages. */
final class ControlInlet implements Inlet {
    private final Endpoint server;

    ControlInlet(Endpoint server) {
        this.server = server;
    }

    static BiConsumer<ComchConnection, MemorySegment> into(Arrivals arrivals) {
        return (from, message) -> {
            if (arrivals.isChecking()) {
                arrivals.check(message);
            }
            arrivals.arrived(message.get(ValueLayout.JAVA_LONG, 0), message.byteSize());
        };
    }

    @Override
    public int poll() {
        return server.engine.progress(256);
    }

    @Override
    public void stop() {
        server.signal(Endpoint.STOP);
        server.loop.waitFor("the sender's end", () -> server.signal == Endpoint.DONE);
    }

    @Override
    public void close() {
        server.close();
    }
}
