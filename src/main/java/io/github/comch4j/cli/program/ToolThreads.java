package io.github.comch4j.cli.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Threads of the tool's, none of which keeps it from ending. */
public final class ToolThreads {
    private ToolThreads() {}

    public static Thread start(String name, Runnable work) {
        return Thread.ofPlatform().name(name).daemon().start(work);
    }

    /** Gives the lines of a stream to {@code heard}, and after the last one {@code end}. */
    public static void startReading(String name, InputStream in, Consumer<String> heard, String end) {
        start(name, () -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                lines.lines().forEach(heard);
            } catch (IOException | UncheckedIOException e) {
                // as at its end
            }
            heard.accept(end);
        });
    }

    /** Lets a moment pass between two looks at something. */
    public static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
        }
    }
}
