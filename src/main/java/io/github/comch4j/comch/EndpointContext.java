package io.github.comch4j.comch;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.observe.Log;
import io.github.comch4j.internal.transport.ConnectionEvents;
import io.github.comch4j.internal.transport.EndpointEvents;
import io.github.comch4j.internal.transport.Endpoints;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The native object of a server or client, and its life. */
final class EndpointContext extends Context implements EndpointEvents {
    private final ControlPathEndpoint endpoint;
    private boolean found; // by its native pointer

    EndpointContext(ControlPathEndpoint endpoint, String name, Resource... owners) {
        super(Rank.CONTROL_PATH, name, CoreObjects.of(endpoint.engine()), null, owners);
        this.endpoint = endpoint;
    }

    /** Takes over a new native object, which is found by its pointer from now on. */
    void bind(MemorySegment created) {
        bind(created, endpoint.calls.asContext(created));
        transport().endpoints(1);
        Endpoints.add(created.address(), this);
        found = true;
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

    /** A server's connections end each as soon as its peer has got all: one that takes nothing delays no other. */
    @Override
    protected void beforeDependents(Teardown teardown) {
        if (!endpoint.isServer()) {
            return;
        }
        closeFastPaths(teardown);
        List<ConnectionLife> left = new ArrayList<>();
        endpoint.liveConnections().forEach(connection -> left.add(connection.life()));
        if (!awaitParted(left, true, ConnectionLife.PATIENCE, teardown)) {
            Log.logger()
                    .log(
                            System.Logger.Level.WARNING,
                            "closing " + name() + ": these clients did not read their waiting messages within "
                                    + ConnectionLife.PATIENCE.toSeconds() + " s and lose them: "
                                    + left.stream().map(ConnectionLife::giveUp).collect(Collectors.joining(", ")));
            awaitParted(left, false, ConnectionLife.LINGER, teardown); // else stopping ends them
        }
    }

    private boolean awaitParted(List<ConnectionLife> left, boolean patient, Duration time, Teardown teardown) {
        BooleanSupplier parted = () -> {
            left.removeIf(life -> parts(life, patient, teardown));
            return left.isEmpty();
        };
        return engine().await(parted, Nanos.deadline(time), null, teardown);
    }

    private static boolean parts(ConnectionLife life, boolean patient, Teardown teardown) {
        try {
            return life.partsWithServer(patient);
        } catch (DocaException e) {
            teardown.add(e);
            return true;
        }
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        if (found) {
            Endpoints.remove(object().address());
            transport().endpoints(-1);
        }
        endpoint.released();
    }
}
