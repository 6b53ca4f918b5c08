package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** {@code kill(2)}, at once: starting a program for it would take too long to hit the moment. */
@SuppressWarnings("restricted")
public final class Signals {
    public static final int KILL = 9;
    public static final int CONTINUE = 18;
    public static final int STOP = 19;

    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("kill").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Signals() {}

    /** Returns whether there is such a process: it may have ended meanwhile. */
    public static boolean send(long pid, int signal) {
        try {
            return (int) CALL.invokeExact((int) pid, signal) == 0;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Stops a process, and waits until it stands still: its threads run on until one of them has come to the signal. */
    public static void stop(long pid) throws IOException {
        assertThat(send(pid, STOP)).as("process %d is there", pid).isTrue();
        boolean runs = true;
        while (runs) {
            try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
                runs = threads.anyMatch(Signals::runs);
            }
        }
    }

    private static boolean runs(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'T';
        } catch (IOException e) {
            return false; // it has ended
        }
    }
}
