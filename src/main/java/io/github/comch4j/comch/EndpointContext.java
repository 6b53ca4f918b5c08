package io.github.comch4j.comch;

import io.github.comch4j.internal.life.ControlContext;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.transport.ConnectionEvents;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The native object of a server or client, and its life. */
final class EndpointContext extends ControlContext {
    private final ControlPathEndpoint endpoint;

    EndpointContext(ControlPathEndpoint endpoint, String name, Resource... owners) {
        super(name, CoreObjects.of(endpoint.engine()), owners);
        this.endpoint = endpoint;
    }

    /** Takes over a new native object. */
    void bind(MemorySegment created) {
        bindEndpoint(created, endpoint.calls.asContext(created));
    }

    @Override
    protected void destroy(MemorySegment nativeObject, String action) {
        endpoint.calls.destroy(nativeObject, action);
    }

    @Override
    public void taskEnded(long task, long userData, boolean success) {
        endpoint.sends.ended(task, userData, success);
    }

    @Override
    protected void afterStateChange(int previous, int next) {
        endpoint.stateChanged(previous, next);
    }

    @Override
    public void connected(long connection, boolean success) {
        // Left out: a client whose handshake failed, of which nothing is known here, and one that connects while the
        // server is being closed, which disconnects it.
        if (success && !isEnding()) {
            endpoint.connected(connection);
        }
    }

    @Override
    public @Nullable ConnectionEvents register(long connection) {
        ComchConnection registered = isEnding() ? null : endpoint.register(connection);
        return registered == null ? null : registered.events();
    }

    @Override
    protected void phaseChanged(boolean open) {
        endpoint.closingBegins(); // with a time of its own also where it has failed before
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        endpoint.released();
    }
}
