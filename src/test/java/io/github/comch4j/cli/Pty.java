package io.github.comch4j.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code comch} in a terminal: {@code script} makes it one. */
final class Pty {
    private Pty() {}

    /** What the terminal was sent until the command had ended. */
    static String run(Path folder, Map<String, String> environment, String... arguments) throws Exception {
        Path out = Files.createTempFile(folder, "pty", ".out");
        start(out, environment, line(arguments)).waitFor();
        return Files.readString(out).replace("\r\n", "\n");
    }

    /** A shell's command line, for this one. */
    static String line(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Comch.class.getName()));
        command.addAll(List.of(arguments));
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /** A terminal that writes what it is sent to a file, and whose keyboard is the process's input. */
    static Process start(Path out, Map<String, String> environment, String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("script", "-qefc", line, "/dev/null")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("COMCH4J_LIBRARY", "emulated");
        builder.environment().put("TERM", "xterm");
        builder.environment().put("SHELL", "/bin/sh"); // which script starts
        builder.environment().putAll(environment);
        return builder.start();
    }
}
