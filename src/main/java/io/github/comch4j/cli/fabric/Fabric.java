package io.github.comch4j.cli.fabric;

import io.github.comch4j.cli.program.Programs;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The fabric folder, in which the servers of an emulated machine are: of each {@code NAME.lock} and {@code NAME.sock}.
 * A server holds its lock for as long as it lives, and takes the folder's while it starts.
 */
public final class Fabric {
    private static final String LOCK = ".lock";
    private static final String SOCKET = ".sock";
    private static final int TAKEN = 75;
    private static final int NOT_RUN = 127;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path folder;

    public Fabric(Path folder) {
        this.folder = folder;
    }

    /** The one that this process would use. */
    public static Path usual(Map<String, String> environment) {
        String chosen = environment.getOrDefault("DOCA_EMU_DIR", "");
        return Path.of(chosen.isEmpty() ? "/dev/shm/doca-emu-" + user() : chosen);
    }

    public static int user() {
        try {
            return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            return -1;
        }
    }

    /** The names of servers whose process is dead; empty if that cannot be found out. */
    public Optional<List<String>> dead() throws IOException {
        List<String> dead = new ArrayList<>();
        for (String name : names()) {
            int status = whileNobodyHas(name, "true");
            if (status != 0 && status != TAKEN) {
                return Optional.empty();
            }
            if (status == 0 && !isListening(name)) {
                dead.add(name);
            }
        }
        return Optional.of(dead);
    }

    /** Removes what such a server has left; false if there is one again meanwhile. */
    public boolean remove(String name) throws IOException {
        return !isListening(name)
                && whileNobodyHas(
                                name,
                                "rm",
                                "-f",
                                folder.resolve(name + SOCKET).toString(),
                                folder.resolve(name + LOCK).toString())
                        == 0;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(LOCK))
                    .map(name -> name.substring(0, name.length() - LOCK.length()))
                    .sorted()
                    .toList();
        }
    }

    /** Runs a command with the folder's lock, so that no server starts meanwhile, and the server's. */
    private int whileNobodyHas(String name, String... command) {
        List<String> words = new ArrayList<>(List.of(
                "flock",
                "--timeout",
                "5",
                folder.toString(),
                "flock",
                "--nonblock",
                "--conflict-exit-code",
                Integer.toString(TAKEN),
                folder.resolve(name + LOCK).toString()));
        words.addAll(List.of(command));
        try {
            ProcessBuilder program =
                    new ProcessBuilder(words).redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
            return Programs.run(program, PATIENCE).orElse(NOT_RUN);
        } catch (IOException e) {
            return NOT_RUN; // there is no flock
        }
    }

    /** Whether somebody listens there whose lock was removed. Names are relative to a descriptor of the folder. */
    private static boolean isListening(String name) throws IOException {
        String socket = "/" + name + SOCKET;
        try (Stream<String> lines =
                Files.lines(Path.of("/proc/net/unix"), java.nio.charset.StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.endsWith(socket));
        }
    }
}
