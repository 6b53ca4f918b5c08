package io.github.comch4j.channel;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.transfer.CoreObjects;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as something that its device and representor own. It is closed before contexts of Comch, which may be
 * what carries it: so its rank.
 */
final class EndpointLife extends Resource {

    private final ChannelEndpoint endpoint;

    EndpointLife(ChannelEndpoint endpoint, String name, Device device, @Nullable Representor representor) {
        super(Rank.FAST_PATH, name, owners(device, representor));
        this.endpoint = endpoint;
    }

    private static Resource[] owners(Device device, @Nullable Representor representor) {
        return representor == null
                ? new Resource[] {CoreObjects.of(device)}
                : new Resource[] {CoreObjects.of(device), CoreObjects.of(representor)};
    }

    /** Makes it known to its owners; fails if one of them is closed. */
    void begin() {
        attach();
    }

    /** Contexts of Comch are asked next, whose engine must be this thread's. */
    @Override
    protected void checkClosable() {
        if (!isClosed()) {
            endpoint.beginEnd();
        }
    }

    @Override
    protected void release(Teardown teardown) {
        endpoint.end();
    }
}
