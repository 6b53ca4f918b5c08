package io.github.comch4j.cli.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Other programs of this machine. */
public final class Programs {
    private Programs() {}

    /** A program of the {@code PATH}, or else of this folder. */
    public static Optional<Path> find(String name, String folder) {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.concat(Arrays.stream(path.split(":")).filter(each -> !each.isEmpty()), Stream.of(folder))
                .map(each -> Path.of(each, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Runs a command; its exit status, or empty if it does not end in this time and was killed. */
    public static OptionalInt run(ProcessBuilder command, Duration patience) throws IOException {
        Process process = command.start();
        try {
            if (process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return OptionalInt.of(process.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return OptionalInt.empty();
    }
}
