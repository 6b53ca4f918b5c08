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
 * An emulated machine whose host and DPU are containers of Testcontainers. They share a volume in memory for the fabric
 * folder, and need nothing else in common: no network, no process ids, no users.
 *
 * {@snippet file="ContainersExample.java" region="containers"}
 *
 * <p>Needs {@code org.testcontainers:testcontainers} 2.0 or later, on the class path. What the programs in the
 * containers need, such as a JDK and this library's jar, their images or their mounts have to bring.
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
     * Makes a machine of containers whose programs run as root.
     *
     * @return the machine, of which no container is a part yet
     */
    public static EmulatedContainers create() {
        return create("mode=0700");
    }

    /**
     * Makes a machine of containers whose programs run as another user.
     *
     * @param mountOptions how the fabric folder is mounted, such as {@code uid=4711,gid=4711,mode=0700} for programs of
     *     the user 4711
     * @return the machine, of which no container is a part yet
     */
    public static EmulatedContainers create(String mountOptions) {
        return new EmulatedContainers(Objects.requireNonNull(mountOptions));
    }

    /**
     * Makes a container a part of the machine, before it is started: mounts the fabric folder, and sets
     * {@code DOCA_EMU_DIR}, {@code DOCA_EMU_SIDE} and, for Java, {@code COMCH4J_LIBRARY}.
     *
     * @param container what to start; it may be refined before and after, but for its binds
     * @param side which devices its programs see
     * @param <C> its type
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

    /** Removes the fabric folder. The containers have to be gone before. The second call does nothing. */
    @Override
    public void close() {
        if (!closed) {
            DockerClientFactory.instance().client().removeVolumeCmd(volume).exec();
            closed = true;
        }
    }

    /**
     * For logs.
     *
     * @return the name of the volume
     */
    @Override
    public String toString() {
        return "emulated machine of containers, volume " + volume;
    }
}
