package io.github.comch4j.testing;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import io.github.comch4j.emulator.EmulatedMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * An emulated machine whose host and DPU are containers of Testcontainers. The containers share a volume in memory for
 * the fabric folder. They need to share nothing else: no network, process ids or users.
 *
 * {@snippet file="ContainersExample.java" region="containers"}
 *
 * <p>The class needs {@code org.testcontainers:testcontainers} 2.0 or later on the class path. The images or mounts of
 * the containers must provide everything that their programs need, such as a JDK and this library's jar.
 */
public final class EmulatedContainers implements AutoCloseable {
    /** Where the containers have the fabric folder. */
    private static final String FOLDER = "/fabric";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String volume = "comch4j-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    private boolean closed;

    private EmulatedContainers(String mountOptions) {
        // Testcontainers removes what bears these, should this process be killed.
        Map<String, String> labels =
                Map.of(DockerClientFactory.TESTCONTAINERS_SESSION_ID_LABEL, DockerClientFactory.SESSION_ID);
        DockerClientFactory.instance()
                .client()
                .createVolumeCmd()
                .withName(volume)
                .withLabels(labels)
                .withDriver("local")
                .withDriverOpts(Map.of("type", "tmpfs", "device", "tmpfs", "o", "size=64m," + mountOptions))
                .exec();
    }

    /**
     * Creates a machine of containers whose programs run as root.
     *
     * @return the machine, without containers
     */
    public static EmulatedContainers create() {
        return create("mode=0700");
    }

    /**
     * Creates a machine of containers whose programs run as another user.
     *
     * @param mountOptions the mount options of the fabric folder, such as {@code uid=4711,gid=4711,mode=0700} for
     *     programs of the user 4711
     * @return the machine, without containers
     */
    public static EmulatedContainers create(String mountOptions) {
        return new EmulatedContainers(Objects.requireNonNull(mountOptions));
    }

    /**
     * Adds a container to the machine before the container is started. Mounts the fabric folder, and sets
     * {@code DOCA_EMU_DIR}, {@code DOCA_EMU_SIDE} and, for Java, {@code COMCH4J_LIBRARY}.
     *
     * @param container the container to start; you can configure it before and after this call, except for its binds
     * @param side the devices that its programs see
     * @param <C> the type of the container
     * @return the container
     */
    public <C extends GenericContainer<?>> C join(C container, EmulatedMachine.Side side) {
        container.addEnv("DOCA_EMU_DIR", FOLDER);
        container.addEnv("DOCA_EMU_SIDE", side.toString());
        container.addEnv("COMCH4J_LIBRARY", "emulated");
        List<Bind> binds = new ArrayList<>(container.getBinds());
        binds.add(new Bind(volume, new Volume(FOLDER)));
        container.setBinds(binds);
        return container;
    }

    /** Removes the fabric folder. The containers must be removed before that. Calling it again does nothing. */
    @Override
    public void close() {
        if (!closed) {
            DockerClientFactory.instance().client().removeVolumeCmd(volume).exec();
            closed = true;
        }
    }

    /**
     * Returns a description of this machine, for logs.
     *
     * @return the name of the volume
     */
    @Override
    public String toString() {
        return "emulated machine of containers, volume " + volume;
    }
}
