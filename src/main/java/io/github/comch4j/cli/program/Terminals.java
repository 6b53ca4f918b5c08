package io.github.comch4j.cli.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which of the standard streams are terminals. {@link System#console()} does not say so: it wants all to be one. */
public final class Terminals {
    public static final int STDIN = 0;
    public static final int STDOUT = 1;
    public static final int STDERR = 2;

    private Terminals() {}

    /** Whether a descriptor is a terminal. */
    public static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
