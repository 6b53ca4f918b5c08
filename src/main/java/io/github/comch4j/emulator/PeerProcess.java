package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.core.Doca;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a test: a JVM of its own on the test's {@link EmulatedMachine}. {@link EmulatedMachine#peer}
 * creates it. Any thread may use it.
 *
 * {@snippet file="EmulatedExampleIT.java" region="peer"}
 *
 * <p>A method that waits in vain throws an {@link AssertionError} that contains all output of the process.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class PeerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String WITHIN = " within " + PATIENCE.toSeconds() + " s";
    /** A process that was ended by SIGTERM or SIGKILL, as Java says it: 128 and the signal. */
    private static final int KILLED = 128;

    private final String name;
    private final Process process;
    private final Thread reader;
    private final List<String> lines = new ArrayList<>(); // guarded by this
    private boolean complete; // guarded by this: it writes no more
    private int read; // guarded by this: lines that were waited for
    private volatile boolean endAsked; // the test has ended it, or has asked how it ended

    private PeerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().name("output of " + name).unstarted(this::readAll);
        reader.start();
    }

    /** Builds and starts a process. */
    public static final class Builder {
        private final EmulatedMachine machine;
        private final Class<?> main;
        private final List<String> arguments;
        private final List<String> options = new ArrayList<>();
        private final Map<String, String> environment = new LinkedHashMap<>();

        Builder(EmulatedMachine machine, EmulatedMachine.Side side, Class<?> main, List<String> arguments) {
            this.machine = machine;
            this.main = Objects.requireNonNull(main);
            this.arguments = arguments;
            environment.putAll(machine.environment(side));
        }

        /**
         * Adds options of the JVM.
         *
         * @param more options such as {@code -Xmx64m}
         * @return this
         */
        public Builder options(String... more) {
            Collections.addAll(options, more);
            return this;
        }

        /**
         * Adds a variable to the process's environment, such as {@code DOCA_EMU_FAULTS} with the result of
         * {@link EmulatedFaults#toString()}.
         *
         * @param variable the name of the variable
         * @param value its value
         * @return this
         */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /**
         * Starts the process.
         *
         * @return the process, running
         * @throws UncheckedIOException if the system refuses
         */
        @SuppressWarnings("FutureReturnValueIgnored") // of what removes a file
        public PeerProcess start() {
            JavaCommand command = new JavaCommand();
            String library = System.getProperty(Doca.LIBRARY_PROPERTY);
            if (library != null) {
                command.add("-D" + Doca.LIBRARY_PROPERTY + "=" + library);
            }
            options.forEach(command::add);
            ProcessBuilder builder = command.main(main, arguments).redirectErrorStream(true);
            // of the environment's machine, which this process is not on
            builder.environment()
                    .keySet()
                    .removeAll(List.of("DOCA_EMU_TOPOLOGY", "DOCA_EMU_LIMITS", "DOCA_EMU_FAULTS"));
            builder.environment().putAll(environment);
            try {
                Process process = builder.start();
                process.onExit().thenRun(command::close);
                PeerProcess started = new PeerProcess(main.getSimpleName(), process);
                machine.started(started);
                return started;
            } catch (IOException e) {
                command.close();
                throw new UncheckedIOException(e);
            }
        }
    }

    private void readAll() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (this) {
                    lines.add(line);
                    notifyAll();
                }
            }
        } catch (IOException e) {
            synchronized (this) {
                lines.add("(its output ends here: " + e.getMessage() + ")");
            }
        } finally {
            synchronized (this) {
                complete = true;
                notifyAll();
            }
        }
    }

    /**
     * Returns what the process has written so far to its standard output and standard error.
     *
     * @return all output
     */
    public synchronized String output() {
        return String.join(System.lineSeparator(), lines);
    }

    /**
     * Waits for a line that contains a text. Only lines after the one that this method returned last count.
     *
     * @param part the text that the line contains
     * @return the line
     * @throws AssertionError if the process ends without such a line, or does not write it within a minute
     */
    public synchronized String awaitLine(String part) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            while (read < lines.size()) {
                String line = lines.get(read++);
                if (line.contains(part)) {
                    return line;
                }
            }
            if (complete) {
                throw failure("has ended without writing a line with \"" + part + "\"");
            }
            pause(deadline, "has not written a line with \"" + part + "\"");
        }
    }

    private void pause(long deadline, String otherwise) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw failure(otherwise + WITHIN);
        }
        try {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(otherwise + ": the waiting thread was interrupted");
        }
    }

    /**
     * Writes a line to the standard input of the process.
     *
     * @param line the line, without a line break
     * @throws UncheckedIOException if the process no longer reads
     */
    public void writeLine(String line) {
        try {
            process.outputWriter().append(line).append('\n').flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the process has ended.
     *
     * @return its exit status; 128 or more for a signal that has ended it
     * @throws AssertionError if it has not ended within a minute
     */
    public int exitStatus() {
        int status = awaitEnd();
        endAsked = true;
        return status;
    }

    private int awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("has not ended" + WITHIN);
            }
            reader.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("has not ended: the waiting thread was interrupted");
        }
        return process.exitValue();
    }

    /** Asks the process to end (SIGTERM); its shutdown hooks run. */
    public void terminate() {
        endAsked = true;
        process.toHandle().destroy(); // unlike the process itself, leaves its output open
    }

    /** Ends the process as a crash would (SIGKILL), and waits until it has ended. */
    public void kill() {
        endAsked = true;
        process.toHandle().destroyForcibly();
        exitStatus();
    }

    /**
     * Returns the process id.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /** Ends the process if it still runs, and waits until it has ended. */
    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    /**
     * Returns why this process should make the test fail: it has ended with a failure, and the test has neither ended
     * it nor asked how it ended.
     *
     * @return an error that has not been thrown, with all output of the process; null if the test should not fail, or
     *     if the process still runs
     */
    public @Nullable AssertionError unexpectedEnd() {
        if (endAsked || process.isAlive() || process.exitValue() == 0) {
            return null;
        }
        int status = awaitEnd();
        return failure(
                status > KILLED ? "was killed by signal " + (status - KILLED) : "has ended with status " + status);
    }

    private AssertionError failure(String what) {
        String output = output();
        return new AssertionError(this + " " + what
                + (output.isEmpty() ? " and has no output" : "; its output:" + System.lineSeparator() + output));
    }

    /**
     * Returns a description of this process, for logs.
     *
     * @return its main class and process id
     */
    @Override
    public String toString() {
        return name + " (process " + process.pid() + ")";
    }
}
