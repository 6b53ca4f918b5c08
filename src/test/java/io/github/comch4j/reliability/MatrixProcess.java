package io.github.comch4j.reliability;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.Signals;
import io.github.comch4j.core.Doca;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process with a {@link MatrixEnd}, which tries one cell after the other. */
final class MatrixProcess implements AutoCloseable {
    /** What it has said when it has said nothing in time. */
    static final String SILENT = "silent";

    private final Process process;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    MatrixProcess(String role, boolean directWrites) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-Djava.util.logging.config.file=/dev/null",
                "-D" + Doca.LIBRARY_PROPERTY + "=" + Machine.emulation(),
                "-cp",
                Child.classPath(MatrixEnd.class)
                        + File.pathSeparator
                        + System.getProperty("java.class.path")
                        + File.pathSeparator
                        + System.getProperty("jdk.module.path", ""),
                MatrixEnd.class.getName(),
                role));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(
                        Boolean.getBoolean("matrix.verbose") ? Redirect.INHERIT : Redirect.to(new File("/dev/null")));
        builder.environment().put("DOCA_EMU_DIRECT_WRITE", directWrites ? "1" : "0");
        builder.environment().put("DOCA_EMU_LIMITS", "max_buf_list_len=3");
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.startVirtualThread(this::read);
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(MatrixEnd.MARK)) {
                    lines.add(line.substring(MatrixEnd.MARK.length()));
                }
            }
        } catch (IOException e) {
            // it has been killed
        }
    }

    void tell(String command) {
        try {
            process.outputWriter().append(command).append('\n').flush();
        } catch (IOException e) {
            lines.add("dead"); // it does not say anything any more
        }
    }

    /** What it says next. */
    String hear(long seconds) {
        try {
            String line = lines.poll(seconds, TimeUnit.SECONDS);
            return line == null ? SILENT : line;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void send(int signal) {
        Signals.send(process.pid(), signal);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
