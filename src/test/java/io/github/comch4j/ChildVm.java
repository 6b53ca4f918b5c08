package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program of this project in a VM of its own, and what it prints. */
public final class ChildVm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60; // for busy machines; nothing is asserted about time

    private final Path out;
    private final Path err;
    private final Process process;

    public ChildVm(Path folder, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException {
        this(folder, List.of(), environment, program, arguments);
    }

    /** As the command {@code as} runs another one. */
    ChildVm(Path folder, List<String> as, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException {
        out = Files.createTempFile(folder, program.getSimpleName(), ".out");
        err = Files.createTempFile(folder, program.getSimpleName(), ".err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(1, Child.agents());
        command.addAll(0, as);
        Collections.addAll(command, arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("COMCH4J_LIBRARY", "emulated");
        builder.environment().putAll(environment);
        process = builder.start();
    }

    public String out() throws IOException {
        return text(out);
    }

    /** Also if it is no text. */
    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    public String err() throws IOException {
        return text(err);
    }

    /** The lines of stderr, but for what a command waits for, which it says where the machine is slow. */
    public List<String> complaints() throws IOException {
        return err().lines()
                .filter(line -> !line.startsWith("comch: waits for "))
                .toList();
    }

    /** What it has written to stdout, where that is no text. */
    public byte[] bytes() throws IOException {
        return Files.readAllBytes(out);
    }

    /** Gives it this on stdin, whose end follows with {@link #endInput()}. */
    public ChildVm input(byte[] bytes) throws IOException {
        process.getOutputStream().write(bytes);
        process.getOutputStream().flush();
        return this;
    }

    public ChildVm endInput() throws IOException {
        process.getOutputStream().close();
        return this;
    }

    /** Waits until it has loaded a library whose name contains this. */
    public void awaitLibrary(String name) throws Exception {
        Path maps = Path.of("/proc", Long.toString(process.pid()), "maps");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.readString(maps).contains(name)) {
            assertThat(System.nanoTime())
                    .as("gave up waiting for %s in %s; it printed:%n%s%s", name, maps, out(), err())
                    .isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    public ChildVm awaitOutput(String text) throws Exception {
        return await(out, text);
    }

    public ChildVm awaitError(String text) throws Exception {
        return await(err, text);
    }

    private ChildVm await(Path file, String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!text(file).contains(text)) {
            assertThat(process.isAlive())
                    .as("running until it prints \"%s\"; it printed:%n%s%s", text, out(), err())
                    .isTrue();
            assertThat(System.nanoTime())
                    .as("gave up waiting for \"%s\" in:%n%s%s", text, out(), err())
                    .isLessThan(deadline);
            Thread.sleep(10);
        }
        return this;
    }

    public void assertSuccess() throws Exception {
        assertThat(awaitEnd())
                .as("exit status; it printed:%n%s%s", out(), err())
                .isZero();
    }

    /** Exit status 1 and nothing but one sentence about it. */
    public void assertFailure(String sentence) throws Exception {
        assertThat(awaitEnd())
                .as("exit status; it printed:%n%s%s", out(), err())
                .isEqualTo(1);
        List<String> lines = complaints().stream()
                .filter(line -> !line.contains("NativeLibrary") && !line.startsWith("INFO:"))
                .toList();
        assertThat(lines).singleElement().asString().contains(sentence);
    }

    public int awaitEnd() throws Exception {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("has ended; it printed:%n%s%s", out(), err())
                .isTrue();
        return process.exitValue();
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM: its shutdown hooks run. */
    public void terminate() {
        process.destroy();
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
