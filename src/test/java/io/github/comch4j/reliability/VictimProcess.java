package io.github.comch4j.reliability;

import io.github.comch4j.Child;
import io.github.comch4j.Signals;
import io.github.comch4j.core.Doca;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.reliability.Ledger.Entry;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The driver's view of a {@link Victim}: a process, or a container with a process in it. */
final class VictimProcess {
    private static final List<String> JVM = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-XX:-UsePerfData",
            "-Djava.util.logging.config.file=/dev/null");

    /** A small heap, made as it is needed: for short lives. */
    static final List<String> SMALL_HEAP = List.of("-Xmx64m");
    /** As small, and all there from the beginning, so that what grows is something else. */
    static final List<String> STEADY_HEAP = List.of("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");

    final int id;
    final Ledger ledger;
    /** When it was killed; 0: not yet. */
    volatile long killedAt;
    /** Whether it is being killed, or was. */
    volatile boolean struck;

    private final Process process; // of a container: the docker command that waits for it
    private final String container; // null: none
    private final Path file;

    private VictimProcess(int id, Ledger ledger, Process process, String container, Path file) {
        this.id = id;
        this.ledger = ledger;
        this.process = process;
        this.container = container;
        this.file = file;
    }

    /** A process that waits for its command. */
    static VictimProcess start(int id, Path folder, List<String> heap, Class<?> main, String... names) {
        Path file = folder.resolve("ledger-" + id);
        Ledger ledger = Ledger.open(file);
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JVM);
        command.addAll(heap);
        command.addAll(List.of(
                "-cp",
                classPath().stream().collect(Collectors.joining(File.pathSeparator)),
                main.getName(),
                file.toString()));
        command.addAll(List.of(names));
        return new VictimProcess(id, ledger, launch(command), null, file);
    }

    /**
     * A container with such a process. It shares the fabric folder with this machine, and nothing else: JDK and classes
     * are mounted read-only, in place of an image that has them.
     *
     * @param folder for ledgers, within the fabric folder
     */
    static VictimProcess startContainer(
            int id, Path folder, Path fabric, List<String> heap, Class<?> main, String... names) {
        Path file = folder.resolve("ledger-" + id);
        Ledger ledger = Ledger.open(file);
        String name = "comch4j-victim-" + ProcessHandle.current().pid() + "-" + id;
        List<String> command = new ArrayList<>(List.of(
                "docker",
                "run",
                "--network=none",
                "--name",
                name,
                "--label",
                "io.github.comch4j.test=" + ProcessHandle.current().pid(),
                "-e",
                "DOCA_EMU_DIR=/fabric",
                "-v",
                fabric + ":/fabric"));
        String jdk = System.getenv().getOrDefault("COMCH4J_TEST_JDK", "");
        if (!jdk.isEmpty()) {
            command.addAll(List.of("-v", jdk + ":/jdk:ro"));
        }
        List<String> inside = new ArrayList<>();
        for (String entry : classPath()) {
            inside.add("/comch4j/" + inside.size() + (entry.endsWith(".jar") ? ".jar" : ""));
            command.addAll(List.of("-v", entry + ":" + inside.getLast() + ":ro"));
        }
        command.addAll(List.of(System.getenv("COMCH4J_TEST_IMAGE"), jdk.isEmpty() ? "java" : "/jdk/bin/java"));
        command.addAll(JVM);
        command.addAll(heap);
        command.addAll(List.of("-cp", String.join(":", inside), main.getName(), "/fabric/" + fabric.relativize(file)));
        command.addAll(List.of(names));
        return new VictimProcess(id, ledger, launch(command), name, file);
    }

    /** The same container with a new process in it, and with an empty ledger. It must have ended. */
    VictimProcess restart(int newId) {
        forgetLedger();
        return new VictimProcess(
                newId, Ledger.open(file), launch(List.of("docker", "start", "--attach", container)), container, file);
    }

    /** Whether there is what containers need. */
    static boolean canUseContainers(Path fabric) {
        return fabric != null
                && !System.getenv().getOrDefault("COMCH4J_TEST_IMAGE", "").isEmpty()
                && System.getenv("COMCH4J_NO_CONTAINERS") == null;
    }

    private static List<String> classPath() {
        return Stream.of(Victim.class, Doca.class, doca_h.class)
                .map(Child::locationOf)
                .distinct()
                .toList();
    }

    /** No pipes: the driver counts its descriptors. */
    private static Process launch(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isContainer() {
        return container != null;
    }

    @Override
    public String toString() {
        return (container == null ? "of process " : "of container ") + id;
    }

    void order(long role, long seed) {
        ledger.set(Entry.ROLE, role);
        ledger.set(Entry.SEED, seed);
        ledger.set(Entry.ID, id);
        ledger.set(Entry.COMMAND, Ledger.GO);
    }

    void command(long command) {
        ledger.set(Entry.COMMAND, command);
    }

    long phase() {
        return ledger.get(Entry.PHASE);
    }

    private void docker(String... command) {
        List<String> all = new ArrayList<>(List.of("docker"));
        all.addAll(List.of(command));
        all.add(container);
        try {
            Process call = new ProcessBuilder(all)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            call.waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void kill() {
        if (!isAlive()) {
            return;
        }
        struck = true;
        long now = System.nanoTime();
        if (container == null) {
            Signals.send(process.pid(), Signals.KILL);
        } else {
            docker("kill");
            now = System.nanoTime();
        }
        if (killedAt == 0) {
            killedAt = now;
        }
    }

    void freeze() {
        if (container == null) {
            Signals.send(process.pid(), Signals.STOP);
        } else {
            docker("pause");
        }
    }

    void thaw() {
        if (container == null) {
            Signals.send(process.pid(), Signals.CONTINUE);
        } else {
            docker("unpause");
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean awaitEnd(long seconds) {
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    int exitCode() {
        return process.exitValue();
    }

    void forgetLedger() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what is left of it. */
    void forget() {
        forgetLedger();
        if (container != null) {
            launch(List.of("docker", "rm", "--force", container));
        }
    }
}
