package io.github.comch4j.cli.program;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The standard streams. */
public final class Terminals {
    public static final int STDIN = 0;
    public static final int STDOUT = 1;
    public static final int STDERR = 2;

    private Terminals() {}

    /** Stdout as bytes; to be flushed; one for all threads, which lock it. */
    public static OutputStream stdout() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    }

    /** Whether a descriptor is a terminal. {@link System#console()} does not say so: it wants all to be one. */
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
