package io.github.comch4j.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What came of a line of shell, run in this project's folder. */
record Script(int status, String output) {
    private static final long PATIENCE_SECONDS = 300; // for busy machines; nothing is asserted about time

    /** Runs {@code line}, in which $1, $2, … are the arguments. */
    static Script runLine(String line, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", line, "bash"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        byte[] output = process.getInputStream().readAllBytes();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("has ended: " + line)
                .isTrue();
        return new Script(process.exitValue(), new String(output, StandardCharsets.UTF_8));
    }
}
