package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Doca;
import io.github.comch4j.internal.call.ChosenFabric;
import io.github.comch4j.internal.call.EmulatorCalls;
import io.github.comch4j.internal.load.FolderRemoval;
import io.github.comch4j.internal.observe.Log;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * An emulated host with a BlueField, private to its owner: a fabric folder of its own. A process can have any number of
 * machines, which do not see each other. Any thread may use a machine.
 *
 * <p>{@code @EmulatedBlueField} of {@code io.github.comch4j.testing} gives one to each test of JUnit. You can also
 * create one yourself:
 *
 * {@snippet file="EmulatedExampleIT.java" region="machine"}
 *
 * <p>Not private to the machine are {@link io.github.comch4j.channel.ChannelEndpoint endpoints} over DOCA's own
 * endpoint API: the limits and faults of the process apply to them.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class EmulatedMachine implements AutoCloseable {

    /** The devices that a process sees. */
    public enum Side {
        /** The host's functions. */
        HOST,
        /** The DPU's devices. */
        DPU,
        /** The devices of both sides. */
        BOTH;

        /**
         * Returns the side in the format of {@code DOCA_EMU_SIDE}.
         *
         * @return {@code host}, {@code dpu} or {@code both}
         */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Path folder;
    private final Side side;
    private final UnclosedObjects left = new UnclosedObjects();
    private final ConcurrentLinkedQueue<PeerProcess> peers = new ConcurrentLinkedQueue<>();

    private EmulatedMachine(Path folder, Side side) {
        this.folder = folder;
        this.side = side;
    }

    /**
     * Creates the default machine: a DPU, and a host with a PF and two VFs.
     *
     * @return the machine
     * @throws IllegalStateException if libraries other than the emulation are loaded
     */
    public static EmulatedMachine create() {
        return create(Side.BOTH, List.of());
    }

    /**
     * Creates a machine.
     *
     * @param side the devices that this process sees
     * @param topology lines of a topology file ({@code docs/emulator.md}): devices, {@code limit NAME VALUE}, and
     *     {@code strict} for a machine that takes the harder reading where DOCA's guides leave the behavior open;
     *     without devices, the machine has the default ones
     * @return the machine
     * @throws IllegalStateException if libraries other than the emulation are loaded
     */
    public static EmulatedMachine create(Side side, List<String> topology) {
        Objects.requireNonNull(side);
        useEmulation();
        try {
            Path folder = Files.createTempDirectory(
                    parent(),
                    "comch4j-test-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (!topology.isEmpty()) {
                Files.write(folder.resolve("topology"), topology);
            }
            return new EmulatedMachine(folder, side);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In memory where there is such a folder: what is in it is short-lived. */
    private static Path parent() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** A test never touches a real device, unless somebody says so, and then it fails here. */
    private static void useEmulation() {
        if (System.getProperty(Doca.LIBRARY_PROPERTY) == null && System.getenv("COMCH4J_LIBRARY") == null) {
            System.setProperty(Doca.LIBRARY_PROPERTY, "emulated");
        }
        if (!EmulatorCalls.hasMachines()) {
            throw new IllegalStateException("the process uses other libraries than the emulated BlueField's ("
                    + Doca.library() + "); set -D" + Doca.LIBRARY_PROPERTY + "=emulated, or do not set it");
        }
    }

    /**
     * Returns the fabric folder.
     *
     * @return the value of {@code DOCA_EMU_DIR} for other processes of this machine
     */
    public Path folder() {
        return folder;
    }

    /**
     * Returns the environment variables with which another process, in any language, takes part in this machine.
     *
     * @param side the devices that the process sees
     * @return variables for its environment
     */
    public Map<String, String> environment(Side side) {
        return Map.of("DOCA_EMU_DIR", folder.toString(), "DOCA_EMU_SIDE", side.toString());
    }

    /**
     * Runs work that uses this machine when it lists or opens devices or sets faults. Threads that the work starts use
     * the machine, too.
     *
     * @param work the work to run
     * @param <T> the type of the result
     * @return the result of the work
     * @throws Exception if the work throws it
     */
    public <T> T call(Callable<T> work) throws Exception {
        try (var _ = choose()) {
            return work.call();
        }
    }

    /**
     * Opens the host's first function.
     *
     * @return the device, which the caller must close
     * @throws io.github.comch4j.DocaException if the topology cannot be used
     * @throws IllegalStateException if this side has no such function
     */
    public Device openHost() {
        return open(DeviceInfo::client, "function of the host");
    }

    /**
     * Opens the DPU's first device.
     *
     * @return the device, which the caller must close
     * @throws io.github.comch4j.DocaException if the topology cannot be used
     * @throws IllegalStateException if this side has no such device
     */
    public Device openDpu() {
        return open(DeviceInfo::server, "device of the DPU");
    }

    private Device open(Predicate<DeviceInfo> wanted, String what) {
        try (var _ = choose()) {
            return Device.list().stream()
                    .filter(wanted)
                    .findFirst()
                    .map(info -> Device.open(info.address()))
                    .orElseThrow(() -> new IllegalStateException("there is no " + what + " on the side " + side));
        }
    }

    /**
     * Prepares a JVM that is the other side, with this JVM's class path and modules.
     *
     * @param side the devices that the JVM sees
     * @param main its main class
     * @param arguments the arguments of its main method
     * @return a builder that starts the JVM
     */
    public PeerProcess.Builder peer(Side side, Class<?> main, String... arguments) {
        return new PeerProcess.Builder(this, side, main, List.of(arguments));
    }

    void started(PeerProcess peer) {
        peers.add(peer);
    }

    /** Those that were started since this was last called, ended or not. */
    List<PeerProcess> takePeers() {
        List<PeerProcess> all = new ArrayList<>();
        for (PeerProcess peer = peers.poll(); peer != null; peer = peers.poll()) {
            all.add(peer);
        }
        return all;
    }

    /** What its threads have opened. */
    UnclosedObjects left() {
        return left;
    }

    /** The calling thread means this machine until the result is closed. */
    ChosenFabric.Undo choose() {
        return ChosenFabric.choose(folder.toString(), side.toString(), left::made);
    }

    /**
     * Ends the processes that this machine has started, and removes the folder. Close the machine's devices before
     * that. If a process that outlives the test still writes in the folder, this method cannot remove everything and
     * logs that. Calling it again does nothing.
     */
    @Override
    public void close() {
        takePeers().forEach(PeerProcess::close);
        IOException remains = FolderRemoval.of(folder);
        if (remains != null) {
            Log.logger().log(System.Logger.Level.WARNING, "cannot remove {0}: {1}", folder, remains.toString());
        }
    }

    /**
     * Returns a description of this machine, for logs.
     *
     * @return its folder
     */
    @Override
    public String toString() {
        return "emulated machine " + folder;
    }
}
