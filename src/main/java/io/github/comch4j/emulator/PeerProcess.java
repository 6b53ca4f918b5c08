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
 * The other side of a test: a JVM of its own on the test's {@link EmulatedMachine}, made by
 * {@link EmulatedMachine#peer}. Any thread may use it.
 *
 * {@snippet file="EmulatedExampleIT.java" region="peer"}
 *
 * <p>What waits fails with an {@link AssertionError} that has all that the process has written.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class PeerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
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

    /** What starts a process. */
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
         * @param more as {@code -Xmx64m}
         * @return this
         */
        public Builder options(String... more) {
            Collections.addAll(options, more);
            return this;
        }

        /**
         * Adds a variable to the process's environment, such as {@code DOCA_EMU_FAULTS}, whose value
         * {@link EmulatedFaults#toString()} is.
         *
         * @param variable its name
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
     * What it has written so far to its standard output and error.
     *
     * @return all of it
     */
    public synchronized String output() {
        return String.join(System.lineSeparator(), lines);
    }

    /**
     * Waits for a line that contains something, among those after the line that this method has returned last.
     *
     * @param part what is in the line
     * @return the line
     * @throws AssertionError if it ends without such a line, or has not written it within a minute
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
                throw failure("has ended without a line with \"" + part + "\"");
            }
            pause(deadline, "has not written a line with \"" + part + "\"");
        }
    }

    private void pause(long deadline, String otherwise) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw failure(otherwise);
        }
        try {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was waited for by a thread that was interrupted, and " + otherwise);
        }
    }

    /**
     * Writes a line to its standard input.
     *
     * @param line without its end
     * @throws UncheckedIOException if it does not read any more
     */
    public void writeLine(String line) {
        try {
            process.outputWriter().append(line).append('\n').flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits for its end.
     *
     * @return its exit status; 128 and more: the signal that has ended it
     * @throws AssertionError if it has not ended within a minute
     */
    public int exitStatus() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("has not ended");
            }
            reader.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was waited for by a thread that was interrupted, and has not ended");
        }
        endAsked = true;
        return process.exitValue();
    }

    /** Asks it to end (SIGTERM): its shutdown hooks run. */
    public void terminate() {
        endAsked = true;
        process.toHandle().destroy(); // unlike the process itself, leaves its output open
    }

    /** Ends it as a crash would (SIGKILL), and waits for that. */
    public void kill() {
        endAsked = true;
        process.toHandle().destroyForcibly();
        exitStatus();
    }

    /**
     * Its number.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /** Ends it, if it still runs, and waits for that. */
    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    /** Why the test should fail, although it has not asked; null: for no reason. */
    @Nullable
    AssertionError unexpectedEnd() {
        if (endAsked || process.isAlive() || process.exitValue() == 0) {
            return null;
        }
        int status = exitStatus();
        return failure(
                status > KILLED ? "was ended by signal " + (status - KILLED) : "has ended with status " + status);
    }

    private AssertionError failure(String what) {
        String output = output();
        return new AssertionError(this + " " + what
                + (output.isEmpty()
                        ? " and has written nothing"
                        : "; it has written:" + System.lineSeparator() + output));
    }

    /**
     * For logs.
     *
     * @return its main class and number
     */
    @Override
    public String toString() {
        return name + " (process " + process.pid() + ")";
    }
}
