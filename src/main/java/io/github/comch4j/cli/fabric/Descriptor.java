package io.github.comch4j.cli.fabric;

import io.github.comch4j.internal.load.Symbols;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Something that is held by {@code openat}, so that what is done with it is done with the same thing, whatever takes
 * its name. Java opens nothing relative to a folder that is open, and waits for the other end when it opens a FIFO;
 * {@code openat} does not, and {@code /proc/self/fd} gives the descriptor a path.
 */
public final class Descriptor implements AutoCloseable {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int AT_FDCWD = -100;
    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int ENOTDIR = 20;
    private static final int ELOOP = 40;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPENAT = handle(
            "openat",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(3),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle CLOSE =
            handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private final int fd;

    private Descriptor(int fd) {
        this.fd = fd;
    }

    /** Without the libraries of DOCA, which may be what is wrong. */
    @SuppressWarnings("restricted")
    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), descriptor, options);
    }

    /** A folder. */
    public static Descriptor folder(Path folder) throws IOException {
        return open(AT_FDCWD, folder.toAbsolutePath().toString(), O_DIRECTORY, folder.toString());
    }

    /** A folder in this one, which must not be a link. */
    public Descriptor folder(String child) throws IOException {
        return open(fd, child, O_DIRECTORY | O_NOFOLLOW, child);
    }

    /** Whatever it is, also behind a link; not opened for anything yet. */
    public static Descriptor held(Path file) throws IOException {
        return open(AT_FDCWD, file.toString(), O_PATH, file.toString());
    }

    private static Descriptor open(int at, String path, int flags, String name) throws IOException {
        int opened;
        int error;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            opened = (int) OPENAT.invokeExact(state, at, arena.allocateFrom(path), O_CLOEXEC | flags, 0);
            error = state.get(ValueLayout.JAVA_INT, ERRNO);
        } catch (Throwable e) {
            throw Symbols.unexpected(e);
        }
        if (opened >= 0) {
            return new Descriptor(opened);
        }
        switch (error) {
            case ENOENT -> throw new NoSuchFileException(name, null, "there is no such folder");
            case EACCES -> throw new AccessDeniedException(name, null, "permission denied");
            case ENOTDIR, ELOOP -> throw new NotDirectoryException(name + ": is no folder, or a link");
            default -> throw new IOException(name + ": cannot be opened (error " + error + ")");
        }
    }

    /** For calls of Java's. */
    public Path path() {
        return Path.of("/proc/self/fd/" + fd);
    }

    /** Opens what is held if it is a file, for which nobody waits. */
    public FileChannel read() throws IOException {
        if (!Files.isRegularFile(path())) {
            throw new IOException(path() + ": is no file");
        }
        return FileChannel.open(path(), StandardOpenOption.READ);
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(fd);
            assert ignored == 0;
        } catch (Throwable e) {
            throw Symbols.unexpected(e);
        }
    }
}
