package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Devices;
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
 * An emulated host with a BlueField that nobody else has: a fabric folder of its own. A process may have any number of
 * them, which do not know of each other. Any thread may use it.
 *
 * <p>{@code @EmulatedBlueField} of {@code io.github.comch4j.testing} gives one to each test of JUnit. By hand:
 *
 * {@snippet file="EmulatedExampleIT.java" region="machine"}
 *
 * <p>Not private to it are {@link io.github.comch4j.channel.ChannelEndpoint endpoints} over DOCA's own endpoint API:
 * their limits and faults are the process's.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class EmulatedMachine implements AutoCloseable {

    /** Which devices a process sees. */
    public enum Side {
        /** The host's functions. */
        HOST,
        /** The DPU's devices. */
        DPU,
        /** All of them. */
        BOTH;

        /**
         * As {@code DOCA_EMU_SIDE} has it.
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
     * Makes the default machine: a DPU, and a host with a PF and two VFs.
     *
     * @return the machine
     * @throws IllegalStateException if other libraries than the emulation are loaded
     */
    public static EmulatedMachine create() {
        return create(Side.BOTH, List.of());
    }

    /**
     * Makes a machine.
     *
     * @param side which devices this process sees
     * @param topology lines of a topology file ({@code docs/emulator.md}): devices, {@code limit NAME VALUE}, and
     *     {@code strict}, for a machine that takes the harder reading of what DOCA's guides leave open; without devices
     *     there are the default ones
     * @return the machine
     * @throws IllegalStateException if other libraries than the emulation are loaded
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
            throw new IllegalStateException(Doca.library() + ": these are not the emulated BlueField; set -D"
                    + Doca.LIBRARY_PROPERTY + "=emulated, or nothing");
        }
    }

    /**
     * The fabric folder.
     *
     * @return what {@code DOCA_EMU_DIR} is for other processes of this machine
     */
    public Path folder() {
        return folder;
    }

    /**
     * What makes another process, in whatever language, take part in this machine.
     *
     * @param side which devices it sees
     * @return variables for its environment
     */
    public Map<String, String> environment(Side side) {
        return Map.of("DOCA_EMU_DIR", folder.toString(), "DOCA_EMU_SIDE", side.toString());
    }

    /**
     * Runs something that means this machine when it lists or opens devices or sets faults, and threads that it starts
     * as well.
     *
     * @param work what to run
     * @param <T> the type of the result
     * @return its result
     * @throws Exception what it throws
     */
    public <T> T call(Callable<T> work) throws Exception {
        try (var _ = choose()) {
            return work.call();
        }
    }

    /**
     * Opens the host's first function.
     *
     * @return the device; to be closed by the caller
     * @throws io.github.comch4j.DocaException if the topology cannot be used
     * @throws IllegalStateException if this side has no such function
     */
    public Device openHost() {
        return open(DeviceInfo::client, "function of the host");
    }

    /**
     * Opens the DPU's first device.
     *
     * @return the device; to be closed by the caller
     * @throws io.github.comch4j.DocaException if the topology cannot be used
     * @throws IllegalStateException if this side has no such device
     */
    public Device openDpu() {
        return open(DeviceInfo::server, "device of the DPU");
    }

    private Device open(Predicate<DeviceInfo> wanted, String what) {
        try (var _ = choose()) {
            return Devices.list().stream()
                    .filter(wanted)
                    .findFirst()
                    .map(info -> Devices.open(info.address()))
                    .orElseThrow(() -> new IllegalStateException("there is no " + what + " on the side " + side));
        }
    }

    /**
     * Prepares a JVM that is the other side, with this JVM's class path and modules.
     *
     * @param side which devices it sees
     * @param main its main class
     * @param arguments of its main method
     * @return what starts it
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
     * Ends the processes that were started and removes the folder. Devices of the machine should be closed before that.
     * What cannot be removed, as a process that outlives the test still writes there, is logged. The second call does
     * nothing.
     */
    @Override
    public void close() {
        takePeers().forEach(PeerProcess::close);
        IOException remains = FolderRemoval.of(folder);
        if (remains != null) {
            Log.logger().log(System.Logger.Level.WARNING, "{0} is still there: {1}", folder, remains.toString());
        }
    }

    /**
     * For logs.
     *
     * @return its folder
     */
    @Override
    public String toString() {
        return "emulated machine " + folder;
    }
}
