package io.github.comch4j.cli.fabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A process that has something to do with the emulated machine, as {@code /proc} shows it. */
public record FabricProcess(long pid, String command, char state) {
    private static final int MOST_BYTES = 1 << 16;

    public boolean isStopped() {
        return state == 'T' || state == 't';
    }

    @Override
    public String toString() {
        return pid + " " + command;
    }

    /** {@code process}: its folder below {@code /proc}. */
    static FabricProcess of(Path process) throws IOException {
        long pid = Long.parseLong(process.getFileName().toString());
        String stat = read(process.resolve("stat"));
        int name = stat.indexOf('(');
        int end = stat.lastIndexOf(')');
        if (name < 0 || end < name || end + 2 >= stat.length()) {
            return new FabricProcess(pid, "?", '?');
        }
        String command = command(process, stat.substring(name + 1, end));
        return new FabricProcess(pid, FabricView.printable(command), stat.charAt(end + 2));
    }

    /** Those that have loaded DOCA's libraries and have such an environment, of this user, or of all as root. */
    public static List<FabricProcess> startedWith(Predicate<Map<String, String>> environment) throws IOException {
        List<FabricProcess> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    if (environment.test(environment(process)) && hasLibraries(process)) {
                        found.add(of(process));
                    }
                } catch (IOException | UncheckedIOException e) {
                    // somebody else's, or it has ended
                }
            }
        }
        return found;
    }

    private static Map<String, String> environment(Path process) throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (String each : read(process.resolve("environ")).split("\0")) {
            int name = each.indexOf('=');
            if (name > 0) {
                variables.put(each.substring(0, name), each.substring(name + 1));
            }
        }
        return variables;
    }

    private static boolean hasLibraries(Path process) throws IOException {
        try (Stream<String> mappings = Files.lines(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
            return mappings.anyMatch(mapping -> mapping.contains("/libdoca_"));
        }
    }

    /** Of a JVM its main class: all are called java. */
    private static String command(Path process, String name) throws IOException {
        if (!name.equals("java")) {
            return name;
        }
        String[] words = read(process.resolve("cmdline")).split("\0");
        for (int i = 1; i < words.length; i++) {
            if (words[i].equals("-cp") || words[i].equals("-classpath") || words[i].equals("--module-path")) {
                i++;
            } else if (words[i].equals("-jar") && i + 1 < words.length) {
                return words[i + 1].substring(words[i + 1].lastIndexOf('/') + 1);
            } else if (!words[i].startsWith("-")) {
                return words[i].substring(words[i].lastIndexOf('.') + 1)
                        + (i + 1 < words.length && words[i].endsWith(".Comch") ? " " + words[i + 1] : "");
            }
        }
        return name;
    }

    private static String read(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        }
    }
}
