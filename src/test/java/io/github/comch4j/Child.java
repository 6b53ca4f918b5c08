package io.github.comch4j;

import io.github.comch4j.core.Doca;
import io.github.comch4j.ffi.doca_h;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM of its own with the library and the test classes on its class path, running a {@code main}. */
public final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private Child(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /** Starts a main class; {@code options} are the JVM's. What it writes to stderr goes to this process's. */
    public static Child start(
            Class<?> main, List<String> options, Map<String, String> environment, String... arguments) {
        return startThrough(List.of(), main, options, environment, arguments);
    }

    /** A JVM that allows nobody native calls. */
    public static Child startForbidden(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--illegal-native-access=deny",
                "-Xmx128m",
                "-cp",
                classPath(main)));
        command.addAll(agents());
        command.add(main.getName());
        command.addAll(List.of(arguments));
        try {
            return new Child(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** As {@link #start}, by a command that takes the JVM's command line as its last arguments. */
    public static Child startThrough(
            List<String> launcher,
            Class<?> main,
            List<String> options,
            Map<String, String> environment,
            String... arguments) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-cp",
                classPath(main)));
        command.addAll(agents());
        command.addAll(olderLibraries());
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        try {
            return new Child(builder.start());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** This JVM's agents, as options for another one: the agent that counts which lines are run. */
    public static List<String> agents() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-javaagent:"))
                .toList();
    }

    /** The libraries of an older release, where this JVM has such: for the child too, unless an option says else. */
    private static List<String> olderLibraries() {
        String library = System.getProperty(Doca.LIBRARY_PROPERTY, "");
        return library.contains("/") ? List.of("-D" + Doca.LIBRARY_PROPERTY + "=" + library) : List.of();
    }

    /** What {@link #start} has as class path for a main class. */
    public static String classPath(Class<?> main) {
        return Stream.of(main, Doca.class, doca_h.class)
                .map(Child::locationOf)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The folder or jar that a class comes from. */
    public static String locationOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** The next line that it wrote to stdout; null at the end. */
    public String line() {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** All remaining lines. */
    public String rest() {
        return output.lines().collect(Collectors.joining("\n"));
    }

    /** Writes a line that it can read from stdin. */
    public void writeLine(String text) {
        try {
            process.outputWriter().append(text).append('\n').flush();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** SIGTERM. */
    public void terminate() {
        process.toHandle().destroy(); // unlike the process itself, leaves its output open
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Waits for its end. */
    public int exitCode() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("the child process does not end");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
