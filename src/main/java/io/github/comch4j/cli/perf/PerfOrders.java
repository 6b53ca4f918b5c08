package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the two ends tell each other, on a connection that carries nothing else. */
final class PerfOrders {
    static final String HELLO = "hello";
    static final String WELCOME = "welcome";
    static final String RUN = "run";
    static final String READY = "ready";
    static final String SENT = "sent";
    static final String STOP = "stop";
    static final String RESULT = "result";
    static final String DONE = "done";
    static final String ERROR = "error";
    static final int VERSION = 1;

    private PerfOrders() {}

    /** The next one; fails if there is none within the time, or it says that the peer has failed. */
    static Dialog.Line awaitLine(Dialog server, String what) {
        Dialog.Line line = server.next(PerfConnection.PATIENCE);
        if (line == null) {
            throw server.isGone()
                    ? new ProgramException("the server has gone")
                    : ProgramException.inVain(PerfConnection.PATIENCE, what);
        }
        return checked(line);
    }

    static Dialog.Line checked(Dialog.Line line) {
        if (line.word().equals(ERROR)) {
            throw new ProgramException("the server says: " + line.rest());
        }
        return line;
    }

    /** What an end tells of itself. */
    static String self(String library) {
        return "version=" + VERSION + " boot=" + fact("/proc/sys/kernel/random/boot_id") + " host="
                + fact("/proc/sys/kernel/hostname") + " cpus="
                + Runtime.getRuntime().availableProcessors() + " doca=" + library.replace(' ', '_');
    }

    private static String fact(String file) {
        try {
            return Files.readString(Path.of(file)).strip().replace(' ', '_');
        } catch (java.io.IOException e) {
            return "unknown";
        }
    }
}
