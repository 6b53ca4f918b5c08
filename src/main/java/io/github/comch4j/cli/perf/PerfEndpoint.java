package io.github.comch4j.cli.perf;

import io.github.comch4j.core.PciAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where an end is.
 *
 * @param device of which it is made
 * @param function which the server serves; null at a client
 * @param name the server's
 */
public record PerfEndpoint(PciAddress device, @Nullable PciAddress function, String name) {
    boolean isServer() {
        return function != null;
    }

    /** Of a thread's own server. */
    PerfEndpoint of(int thread) {
        return new PerfEndpoint(device, function, name + "-" + thread);
    }
}
