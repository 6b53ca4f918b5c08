package io.github.comch4j.cli.doctor;

import io.github.comch4j.cli.program.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Files and programs of a machine, below the folder that stands for {@code /}. */
public final class MachineFacts {
    private static final List<String> PROGRAMS = List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path root;

    public MachineFacts(Path root) {
        this.root = root;
    }

    boolean isThisOne() {
        return root.equals(Path.of("/"));
    }

    /** {@code path} begins with a slash. */
    Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** Without the white space around it; empty if it cannot be read. */
    String text(String path) {
        try {
            return Files.readString(at(path), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** The names in a folder, in order; none if there is no such folder. */
    List<String> names(String folder) {
        try (Stream<Path> files = Files.list(at(folder))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** What a program prints, both ways; empty if the machine has no such program, or it does not end. */
    String run(String program, String... arguments) {
        for (String folder : PROGRAMS) {
            Path file = at(folder + "/" + program);
            if (Files.isExecutable(file)) {
                List<String> command = new ArrayList<>(List.of(file.toString()));
                Collections.addAll(command, arguments);
                return output(command);
            }
        }
        return "";
    }

    private static String output(List<String> command) {
        try {
            Path file = Files.createTempFile("comch", ".out");
            try {
                ProcessBuilder program =
                        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(file.toFile());
                boolean ended = Programs.run(program, PATIENCE).isPresent();
                return ended ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            return "";
        }
    }
}
