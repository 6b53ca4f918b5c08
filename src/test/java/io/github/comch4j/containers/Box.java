package io.github.comch4j.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Volume;
import io.github.comch4j.Child;
import io.github.comch4j.cli.Comch;
import io.github.comch4j.core.Doca;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.testing.EmulatedContainers;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import me.tongfei.progressbar.ProgressBar;
import org.HdrHistogram.Histogram;
import org.jline.terminal.Terminal;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.StartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;
import picocli.CommandLine;

/**
 * A container with one side of the emulated machine in it: without a network, with process ids, users and memory of its
 * own, and Docker's default seccomp profile. Programs are mounted into it read-only.
 */
final class Box implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final GenericContainer<?> container;

    private Box(GenericContainer<?> container) {
        this.container = container;
        container.start();
    }

    /** One that runs a main class, and is no part of a machine yet. */
    static GenericContainer<?> container(List<String> options, Class<?> main, String... arguments) {
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(Docker.image()));
        String java = "java";
        if (!Docker.jdk().isEmpty()) {
            mount(container, Docker.jdk(), "/jdk");
            java = "/jdk/bin/java";
        }
        List<String> classPath = new ArrayList<>();
        for (String entry : needed(main).map(Child::locationOf).distinct().toList()) {
            String inside = "/comch4j/" + classPath.size() + (entry.endsWith(".jar") ? ".jar" : "");
            mount(container, entry, inside);
            classPath.add(inside);
        }
        List<String> command = new ArrayList<>(
                List.of(java, "--enable-native-access=ALL-UNNAMED", "-Xmx64m", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
        command.addAll(List.of(arguments));
        return container.withCommand(command.toArray(String[]::new)).withNetworkMode("none");
    }

    private static void mount(GenericContainer<?> container, String outside, String inside) {
        container.getBinds().add(new Bind(outside, new Volume(inside), AccessMode.ro));
    }

    /** The tool's own libraries are not in the library's jar. */
    private static Stream<Class<?>> needed(Class<?> main) {
        Stream<Class<?>> library = Stream.of(main, Doca.class, doca_h.class);
        return main == Comch.class
                ? Stream.concat(
                        library, Stream.of(CommandLine.class, Histogram.class, ProgressBar.class, Terminal.class))
                : library;
    }

    /** What a container is like; refined by what a test is about. */
    static final class Plan {
        private final GenericContainer<?> container;
        private Consumer<CreateContainerCmd> more = create -> {};

        private Plan(EmulatedContainers machine, Side side, GenericContainer<?> container) {
            this.container = machine.join(container, side);
            container.withEnv("DOCA_EMU_CONNECT_WAIT", "60000");
        }

        /** A main class; {@code options} are the JVM's. */
        static Plan java(
                EmulatedContainers machine, Side side, List<String> options, Class<?> main, String... arguments) {
            return new Plan(machine, side, Box.container(options, main, arguments));
        }

        static Plan java(EmulatedContainers machine, Side side, Class<?> main, String... arguments) {
            return java(machine, side, List.of(), main, arguments);
        }

        /** A C program that was built against an installed SDK folder. */
        static Plan program(EmulatedContainers machine, Side side, Path sdk, Path program, String... arguments) {
            GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(Docker.image()));
            mount(container, sdk.toString(), "/sdk");
            mount(container, program.toString(), "/program");
            List<String> command = new ArrayList<>(List.of("/program"));
            command.addAll(List.of(arguments));
            container
                    .withEnv("LD_LIBRARY_PATH", "/sdk/lib")
                    .withNetworkMode("none")
                    .withCommand(command.toArray(String[]::new));
            return new Plan(machine, side, container);
        }

        Plan environment(String name, String value) {
            container.withEnv(name, value);
            return this;
        }

        Plan with(Consumer<CreateContainerCmd> change) {
            more = more.andThen(change);
            return this;
        }

        Plan user(String user) {
            return with(create -> create.withUser(user));
        }

        Box start() {
            container
                    .withLabels(Docker.labels())
                    .withStartupCheckStrategy(new AtOnce())
                    .setWaitStrategy(new NoWait());
            container.withCreateContainerCmdModifier(more);
            return new Box(container);
        }
    }

    /** Some programs of this suite end at once, and are meant to. */
    private static final class AtOnce extends StartupCheckStrategy {
        @Override
        public StartupStatus checkStartupState(DockerClient client, String id) {
            return StartupStatus.SUCCESSFUL;
        }
    }

    private static final class NoWait extends AbstractWaitStrategy {
        @Override
        protected void waitUntilReady() {}
    }

    /** What one process needs to write into another one's memory, in Docker's terms. */
    static void allowTracing(CreateContainerCmd create) {
        create.getHostConfig().withCapAdd(Capability.SYS_PTRACE);
    }

    private InspectContainerResponse.ContainerState state() {
        return container.getCurrentContainerInfo().getState();
    }

    /** All that it has written so far. */
    String output() {
        return container.getLogs();
    }

    /** Waits until it has written a line that begins so. */
    Box await(String beginning) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (output().lines().noneMatch(line -> line.startsWith(beginning))) {
            if (!Boolean.TRUE.equals(state().getRunning())
                    && output().lines().noneMatch(line -> line.startsWith(beginning))) {
                throw new AssertionError("the container ended without the line " + beginning + "…:\n" + output());
            }
            pause("the line " + beginning + "…", deadline);
        }
        return this;
    }

    /** Waits for its end; the exit code. */
    long exitCode() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (Boolean.TRUE.equals(state().getRunning())) {
            pause("its end", deadline);
        }
        return state().getExitCodeLong();
    }

    private void pause(String what, long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("gave up waiting for " + what + " of the container:\n" + output());
        }
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for its end, which must be a good one; the last line that it wrote to stdout. */
    String result() {
        long code = exitCode();
        String last = container
                .getLogs(org.testcontainers.containers.output.OutputFrame.OutputType.STDOUT)
                .lines()
                .filter(line -> !line.isBlank())
                .reduce((first, second) -> second)
                .orElse("");
        if (code != 0) {
            throw new AssertionError("the container ended with " + code + ":\n" + output());
        }
        return last;
    }

    /** SIGKILL to everything in it. */
    void kill() {
        Docker.client()
                .killContainerCmd(container.getContainerId())
                .withSignal("KILL")
                .exec();
        exitCode();
    }

    String id() {
        return container.getContainerId();
    }

    @Override
    public void close() {
        container.stop(); // kills and removes it
    }

    /** What runs in it. */
    @Override
    public String toString() {
        return String.join(" ", container.getCommandParts());
    }
}
