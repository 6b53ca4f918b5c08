package io.github.comch4j.internal.life;

import io.github.comch4j.internal.transport.EndpointEvents;
import io.github.comch4j.internal.transport.Endpoints;
import java.lang.foreign.MemorySegment;

/** A server or client. */
public abstract class ControlContext extends Context implements EndpointEvents {
    private boolean found; // by its native pointer

    /** A server or client that is going to run on {@code engine}. */
    protected ControlContext(String name, Engine engine, Resource... owners) {
        super(Rank.CONTROL_PATH, name, engine, null, owners);
    }

    /** As {@link #bind}, and found by its native pointer from now on. */
    protected final void bindEndpoint(MemorySegment nativeObject, MemorySegment asContext) {
        bind(nativeObject, asContext);
        transport().endpoints(1);
        Endpoints.add(nativeObject.address(), this);
        found = true;
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        if (found) {
            Endpoints.remove(object().address());
            transport().endpoints(-1);
        }
    }
}
