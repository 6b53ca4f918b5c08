package io.github.comch4j.cli.conformance;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A worker as its parent sees it. */
final class WorkerProcess implements AutoCloseable {
    /** What {@link #poll} gives when the process has ended. */
    static final String ENDED = "ENDED";

    private static final int START_SECONDS = 60;
    private static final int END_SECONDS = 20;

    private final Process process;
    private final PrintStream in;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /**
     * Starts one and waits until it has the device. {@code arguments} are this program's, for a worker; the first is
     * the first of this process too.
     */
    WorkerProcess(List<String> arguments, boolean verbose) {
        try {
            process = new ProcessBuilder(command(arguments))
                    .redirectError(verbose ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new ProgramException("cannot start a second process: " + e.getMessage(), e);
        }
        in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        ToolThreads.startReading("worker", process.getInputStream(), lines::add, ENDED);
        awaitReady();
    }

    /** This program as it was started, up to its own arguments, with others. */
    private static List<String> command(List<String> arguments) throws IOException {
        String line = new String(Files.readAllBytes(Path.of("/proc/self/cmdline")), StandardCharsets.UTF_8);
        List<String> command = Arrays.stream(line.split("\0"))
                .takeWhile(word -> !word.equals(arguments.getFirst()))
                .filter(word -> !word.startsWith("-agentlib:"))
                .collect(Collectors.toCollection(ArrayList::new));
        command.set(0, Files.readSymbolicLink(Path.of("/proc/self/exe")).toString());
        command.addAll(arguments);
        return command;
    }

    private void awaitReady() {
        try {
            String line = lines.poll(START_SECONDS, TimeUnit.SECONDS);
            if (!"READY".equals(line)) {
                process.destroyForcibly();
                throw new ProgramException("the second process has not started; --verbose shows what it says");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new ProgramException("interrupted", e);
        }
    }

    void say(String text) {
        in.println(text);
    }

    @Nullable
    String poll() {
        return lines.poll();
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** How it has ended, as a shell tells. */
    int awaitEnd() {
        try {
            return process.waitFor(END_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            return -1;
        }
    }

    @Override
    public void close() {
        in.close();
        if (awaitEnd() < 0) {
            process.destroyForcibly();
        }
    }
}
