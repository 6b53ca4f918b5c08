package io.github.comch4j.cli;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * A folder that is open. What is in it is reached through its descriptor and by a single name, so that neither a link
 * nor another folder in its place, made meanwhile, leads out of it. Java opens no folder relative to another one and
 * tells its descriptor; {@code openat} does, and {@code /proc/self/fd} gives the descriptor a path.
 */
final class Below implements AutoCloseable {
    private static final String ARCH = System.getProperty("os.arch");
    private static final boolean ARM = ARCH.equals("aarch64");
    private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int AT_FDCWD = -100;
    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int ENOTDIR = 20;
    private static final int ELOOP = 40;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPENAT = openat();
    private static final MethodHandle CLOSE = close0();

    private final int fd;
    private final String name; // for messages

    private Below(int fd, String name) {
        this.fd = fd;
        this.name = name;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle openat() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find("openat").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(3),
                Linker.Option.captureCallState("errno"));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle close0() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find("close").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    /** A folder that the user has named: that may be a link. */
    static Below root(Path folder) throws IOException {
        return open(AT_FDCWD, folder.toAbsolutePath().toString(), 0, folder.toString());
    }

    private static Below open(int at, String path, int flags, String name) throws IOException {
        int opened;
        int error;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            opened = (int) OPENAT.invokeExact(state, at, arena.allocateFrom(path), O_DIRECTORY | O_CLOEXEC | flags, 0);
            error = state.get(ValueLayout.JAVA_INT, ERRNO);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        if (opened >= 0) {
            return new Below(opened, name);
        }
        switch (error) {
            case ENOENT -> throw new NoSuchFileException(name, null, "there is no such folder");
            case EACCES -> throw new AccessDeniedException(name, null, "permission denied");
            case ENOTDIR, ELOOP -> throw new NotDirectoryException(name + ": is no folder, or a link");
            default -> throw new IOException(name + ": cannot be opened (error " + error + ")");
        }
    }

    /** A folder in it, which must not be a link. */
    Below folder(String child) throws IOException {
        return open(fd, single(child), O_NOFOLLOW, child);
    }

    /** As {@link #folder}, made if it is not there. Its mode is what {@code umask} leaves; that of one there stays. */
    Below madeFolder(String child) throws IOException {
        if (!exists(child)) {
            Files.createDirectory(path(child));
        }
        return folder(child);
    }

    /** What is in it under this name; for calls that do not follow a link. */
    Path path(String child) {
        return Path.of("/proc/self/fd/" + fd, single(child));
    }

    boolean exists(String child) {
        return Files.exists(path(child), LinkOption.NOFOLLOW_LINKS);
    }

    PosixFileAttributes attributes(String child) throws IOException {
        return Files.readAttributes(path(child), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** The names in it, in order. */
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd/" + fd))) {
            for (Path each : all) {
                names.add(each.getFileName().toString());
            }
        }
        names.sort(null);
        return names;
    }

    /** {@code name} if it names something in a folder, and nothing else. */
    static String single(String name) {
        if (name.isEmpty()
                || name.equals(".")
                || name.equals("..")
                || name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0) {
            throw new InvalidPathException(name.replace('\0', '?'), "not the name of a file");
        }
        return name;
    }

    /** The names on the way to something below a folder: a leading {@code /}, and {@code .}, mean the folder itself. */
    static List<String> names(String relative) {
        List<String> names = new ArrayList<>();
        for (String name : relative.split("/")) {
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(single(name));
            }
        }
        return names;
    }

    /** The last folder on a way, opened step by step; to be closed. */
    Below walk(List<String> way) throws IOException {
        Below at = open(fd, ".", 0, name);
        try {
            for (String step : way) {
                Below next = at.folder(step);
                at.close();
                at = next;
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(fd);
            assert ignored == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
