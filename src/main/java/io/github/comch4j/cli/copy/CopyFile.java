package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A file that arrives: it grows under another name, beside its place, and takes its place when it is whole. What was
 * begun once is gone on with if it is the beginning of what is sent now.
 */
final class CopyFile implements Closeable {
    private static final String PART = ".comch-part";
    private static final String BUSY = "is being copied by somebody else";
    private static final int LONGEST_NAME = 255;
    /** The disk takes much at once in the time of one. */
    private static final ExecutorService DISK = Executors.newFixedThreadPool(
            16, Thread.ofPlatform().name("disk").daemon().factory());

    final CopyEntry entry;
    private final OpenFolder parent;
    private final Path path;
    private final FileChannel file;
    private final FileLock lock;
    private CopySum sum = new CopySum();
    private long there;
    private boolean begun;
    private boolean named;
    private boolean closed;
    private Future<?> forced = CompletableFuture.completedFuture(null);

    private CopyFile(CopyEntry entry, OpenFolder parent, Path path, FileChannel file) throws IOException {
        this.entry = entry;
        this.parent = parent;
        this.path = path;
        this.file = file;
        this.lock = lock(file);
    }

    /** Of a file that is not whole yet. */
    static boolean isPart(String name) {
        return name.startsWith(".") && name.endsWith(PART);
    }

    static String part(String name) {
        String part = "." + name + PART;
        return part.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME
                ? part
                : "." + Integer.toHexString(name.hashCode()) + "-" + name.length() + PART;
    }

    static @Nullable PosixFileAttributes at(OpenFolder parent, String name) throws IOException {
        try {
            return parent.attributes(name);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Begins it, or goes on with it; closes the folder with it, if it succeeds. */
    static CopyFile open(OpenFolder parent, CopyEntry entry, CopyLink link) throws IOException {
        String part = part(entry.target().name());
        PosixFileAttributes begun = at(parent, part);
        if (begun != null && !begun.isRegularFile()) {
            throw new CopyRefusal("cannot be begun: " + part + " is no file");
        }
        Path path = parent.path(part);
        FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            CopyFile file = new CopyFile(entry, parent, path, channel);
            PosixFileAttributes locked = at(parent, part);
            if (locked == null || (begun != null && !begun.fileKey().equals(locked.fileKey()))) {
                throw new CopyRefusal(BUSY); // it took its place meanwhile
            }
            file.there = Math.min(channel.size(), entry.size());
            file.sum.add(channel, file.there, link);
            return file;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileLock lock(FileChannel file) throws IOException {
        FileLock lock;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new CopyRefusal(BUSY);
        }
        return lock;
    }

    /** What is there of it, as the other end is asked for the rest. */
    CopyLink.Writing wanted() {
        return message -> {
            message.writeLong(there);
            sum.write(message);
        };
    }

    /** The other end goes on there, or begins. Returns how much it need not send. */
    long begin(long from) throws IOException {
        if (begun || (from != there && from != 0)) {
            throw CopyLink.notUnderstood();
        }
        begun = true;
        sum = from == there ? sum : new CopySum();
        there = from;
        file.truncate(from);
        file.position(from);
        return from;
    }

    void write(ByteBuffer bytes) throws IOException {
        grow(bytes.remaining());
        sum.add(bytes);
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** Zeros for which nothing is written. */
    void skip(int length) throws IOException {
        grow(length);
        sum.addZeros(length);
        file.position(there);
    }

    private void grow(int length) {
        if (!begun || length < 0 || length > entry.size() - there) {
            throw CopyLink.notUnderstood();
        }
        there += length;
    }

    /** Returns whether it is what was sent, if all has been. */
    boolean isWhole(DataInputStream sums) throws IOException {
        if (there != entry.size()) {
            throw CopyLink.notUnderstood();
        }
        if (file.size() < there) { // it ends with a hole
            file.write(ByteBuffer.allocate(1), there - 1);
        }
        return sum.equalsNext(sums);
    }

    /** Brings it to the disk: whatever happens to the machine, what has the name is whole. */
    void beginForce() {
        forced = DISK.submit(() -> {
            entry.keep(path);
            file.force(true);
            return null;
        });
    }

    boolean isForced() {
        return forced.isDone();
    }

    /** When it is on the disk. */
    void takeName() throws IOException {
        try {
            forced.get();
        } catch (ExecutionException | InterruptedException e) {
            throw new IOException(ProgramException.reason(e.getCause() instanceof Exception why ? why : e), e);
        }
        Files.move(path, parent.path(entry.target().name()), StandardCopyOption.ATOMIC_MOVE);
        named = true; // what has the other name from now on is somebody else's
    }

    /** Waits until its name, and all others in the folder, are on the disk. */
    void forceName() throws IOException {
        parent.force();
    }

    /** Ends it for good; nothing stays of it without its name. */
    void remove() {
        try (this) {
            if (!named && !closed) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // what has failed is told already
        }
    }

    /** Ends it for now: what would take time to send again stays. */
    void interrupt() {
        if (there < CopyLink.CHUNK_BYTES) {
            remove();
        } else {
            try {
                close();
            } catch (IOException e) {
                // the same command writes all again that is not there
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (parent;
                file) {
            lock.close(); // not before it has its name, which nobody else takes
        }
    }
}
