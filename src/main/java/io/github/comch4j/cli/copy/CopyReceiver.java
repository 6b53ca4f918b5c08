package io.github.comch4j.cli.copy;

import io.github.comch4j.internal.support.program.ProgramException;
import io.github.comch4j.io.ComchInputChannel;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of {@code comch cp} that gets the files. A file grows under another name, beside its place, and takes its
 * place when it is whole; what was begun once is gone on with if it is the beginning of what is sent now.
 */
public final class CopyReceiver {
    private static final String PART = ".comch-part";
    private static final String BUSY = "is being copied by somebody else";
    private static final int LONGEST_NAME = 255;
    /** Of folders whose mode and time are set at the end; those of further ones are not. */
    private static final int MOST_FOLDERS = 1_000_000;

    /** Where something goes, as the other end has named it. */
    private record Target(List<String> way, String name) {
        static Target of(List<String> base, DataInputStream in) throws IOException {
            String path = in.readUTF();
            List<String> names = Below.names(path);
            if (names.isEmpty()) {
                throw new InvalidPathException(path, "not the name of a file");
            }
            List<String> way = new ArrayList<>(base);
            way.addAll(names.subList(0, names.size() - 1));
            return new Target(List.copyOf(way), names.getLast());
        }

        /** Whether a link with this text, there, stays below the root, whatever other such links there are. */
        boolean keepsBelow(String link) {
            int up = 0;
            boolean down = false;
            for (String name : link.split("/")) {
                if (name.equals("..")) {
                    if (down) {
                        return false; // of what may be a link itself
                    }
                    up++;
                } else {
                    down |= !name.isEmpty() && !name.equals(".");
                }
            }
            return !link.startsWith("/") && up <= way.size();
        }

        @Override
        public String toString() {
            return CopyLink.printable(String.join("/", way) + (way.isEmpty() ? "" : "/") + name);
        }
    }

    /** A file or folder as the other end has announced it. */
    private record Entry(Target target, int mode, FileTime time, long size, boolean update) {
        static Entry of(Target target, DataInputStream in) throws IOException {
            int mode = in.readUnsignedShort() & 0777;
            FileTime time = time(in.readLong(), in.readInt());
            long size = in.readLong();
            if (size < 0) {
                throw new ProgramException("the other end has a file of " + size + " bytes");
            }
            return new Entry(target, mode, time, size, in.readBoolean());
        }

        private static FileTime time(long seconds, int nanos) {
            try {
                return FileTime.from(Instant.ofEpochSecond(seconds, nanos));
            } catch (DateTimeException | ArithmeticException e) {
                throw new ProgramException("the other end has a time that there is not", e);
            }
        }

        boolean isThere(PosixFileAttributes there) {
            return there.isRegularFile()
                    && there.size() == size
                    && there.lastModifiedTime().equals(time);
        }
    }

    private final CopyLink link;
    private final Below root;
    private final List<String> base;
    private final CopyReport report;
    private final List<Entry> folders = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES);

    /** {@code base}: the way from the root to where all goes. */
    public CopyReceiver(CopyLink link, Below root, List<String> base, CopyReport report) {
        this.link = link;
        this.root = root;
        this.base = base;
        this.report = report;
    }

    /** Of a file that is not whole yet. */
    static boolean isPart(String name) {
        return name.startsWith(".") && name.endsWith(PART);
    }

    private static String part(String name) {
        String part = "." + name + PART;
        return part.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME
                ? part
                : "." + Integer.toHexString(name.hashCode()) + "-" + name.length() + PART;
    }

    /** Until the other end has sent all. */
    public void receive() throws IOException {
        while (true) {
            CopyLink.Message message = link.expect("EDLKZ");
            switch (message.kind()) {
                case 'E', 'D', 'L' -> entry(message);
                case 'K' -> report.refused(CopyLink.text(message), CopyLink.text(message)); // name and reason
                default -> {
                    finishFolders();
                    link.send('O');
                    return;
                }
            }
        }
    }

    private void entry(CopyLink.Message message) throws IOException {
        String name = "a file";
        try {
            Target target = Target.of(base, message.rest());
            name = target.toString();
            try (Below parent = root.walk(target.way)) {
                switch (message.kind()) {
                    case 'D' -> folder(parent, Entry.of(target, message.rest()));
                    case 'L' -> symbolicLink(parent, target, message.rest().readUTF());
                    default -> file(parent, Entry.of(target, message.rest()));
                }
            }
        } catch (Refusal e) {
            refuse(name, String.valueOf(e.getMessage()));
        } catch (InvalidPathException | java.nio.file.FileSystemException e) {
            refuse(name, ProgramException.reason(e));
        }
    }

    private void refuse(String name, String why) {
        link.sendSentence('X', why);
        report.failed(name, why);
    }

    /** Why this one is not copied; the next one may be. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refusal(String why) {
            super(why, null, false, false);
        }
    }

    private void folder(Below parent, Entry entry) throws IOException {
        parent.madeFolder(entry.target.name).close();
        if (folders.size() < MOST_FOLDERS) {
            folders.add(entry);
        }
        link.send('O');
    }

    /** What is put into a folder changes its time, and may not be allowed by its mode. */
    private void finishFolders() {
        for (Entry entry : folders.reversed()) {
            try (Below parent = root.walk(entry.target.way)) {
                keep(parent.path(entry.target.name), entry);
            } catch (IOException e) {
                report.failed(entry.target.toString(), ProgramException.reason(e));
            }
        }
    }

    private static void keep(Path path, Entry entry) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setTimes(entry.time, null, null);
        view.setPermissions(CopySender.permissions(entry.mode));
    }

    private static @Nullable PosixFileAttributes at(Below parent, String name) throws IOException {
        try {
            return parent.attributes(name);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void symbolicLink(Below parent, Target target, String text) throws IOException {
        report.begin(target.toString(), 0);
        if (!target.keepsBelow(text)) {
            throw new Refusal("is a link that leads out of the folder at the other end: " + CopyLink.printable(text));
        }
        Path path = parent.path(part(target.name));
        PosixFileAttributes there = at(parent, target.name);
        if (there != null && there.isDirectory()) {
            throw new Refusal("is a folder at the other end");
        }
        Files.createSymbolicLink(path, Path.of(text));
        Files.move(path, parent.path(target.name), StandardCopyOption.ATOMIC_MOVE);
        report.done();
        link.send('O');
    }

    private void file(Below parent, Entry entry) throws IOException {
        report.begin(entry.target.toString(), entry.size);
        PosixFileAttributes there = at(parent, entry.target.name);
        if (there != null && there.isDirectory()) {
            throw new Refusal("is a folder at the other end");
        }
        if (there != null && entry.update && entry.isThere(there)) {
            report.there(entry.size);
            report.done();
            link.send('O');
            return;
        }
        String part = part(entry.target.name);
        PosixFileAttributes begun = at(parent, part);
        if (begun != null && !begun.isRegularFile()) {
            throw new Refusal("cannot be begun: " + part + " is no file");
        }
        Path path = parent.path(part);
        try (FileChannel file = FileChannel.open(
                        path,
                        Set.of(
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.CREATE,
                                LinkOption.NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                FileLock lock = lock(file)) {
            PosixFileAttributes locked = lock.isValid() ? at(parent, part) : null;
            if (locked == null || (begun != null && !begun.fileKey().equals(locked.fileKey()))) {
                throw new Refusal(BUSY); // it took its place meanwhile
            }
            if (!bytes(file, entry)) {
                Files.delete(path);
                throw new Refusal("did not arrive as it was sent: its sums differ");
            }
            keep(path, entry);
            file.force(true); // whatever happens to the machine, what has the name is whole
            Files.move(path, parent.path(entry.target.name), StandardCopyOption.ATOMIC_MOVE);
            parent.force();
        }
        report.done();
        link.send('O');
    }

    private static FileLock lock(FileChannel file) throws IOException {
        FileLock lock;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new Refusal(BUSY);
        }
        return lock;
    }

    /** Returns whether what has arrived is what was sent. */
    private boolean bytes(FileChannel file, Entry entry) throws IOException {
        long there = Math.min(file.size(), entry.size);
        CopySum begun = new CopySum();
        begun.add(file, there, link);
        link.send('W', message -> {
            message.writeLong(there);
            begun.write(message);
        });
        CopyLink.Message from = link.expect("F");
        long begin = from.rest().readLong();
        if (begin != there && begin != 0) {
            throw new ProgramException("the other end goes on where nothing is");
        }
        report.there(begin);
        file.truncate(begin);
        file.position(begin);
        CopySum sum = begin == there ? begun : new CopySum();
        try {
            write(file, entry.size - begin, sum);
        } catch (java.nio.file.FileSystemException | EOFException e) {
            throw new IOException(e.getMessage(), e); // bytes are under way: this is the end of more than this file
        }
        return sum.equalsNext(link.expect("S").rest());
    }

    private void write(FileChannel file, long length, CopySum sum) throws IOException {
        ComchInputChannel in = link.input();
        for (long left = length; left > 0; left -= buffer.limit()) {
            link.checkStopped();
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            if (in.read(buffer) < 0) {
                throw new EOFException("the other end has sent less than it said");
            }
            sum.add(buffer.flip());
            ByteBuffer rest = buffer.duplicate();
            while (rest.hasRemaining()) {
                file.write(rest);
            }
            report.moved(buffer.limit());
        }
    }
}
