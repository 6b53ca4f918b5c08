package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A file, a folder or a link as the other end has announced it. */
record CopyEntry(Target target, int mode, FileTime time, long size, boolean update) {
    /** Where something goes, as the other end has named it. */
    record Target(List<String> way, String name) {
        static Target of(List<String> base, DataInputStream in) throws IOException {
            String path = in.readUTF();
            List<String> names = OpenFolder.names(path);
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

    static CopyEntry of(Target target, char kind, DataInputStream in) throws IOException {
        int mode = in.readUnsignedShort() & 0777;
        FileTime time = time(in.readLong(), in.readInt());
        long size = kind == 'E' ? in.readLong() : 0;
        if (size < 0) {
            throw new ProgramException("the other end has a file of " + size + " bytes");
        }
        return new CopyEntry(target, mode, time, size, kind == 'E' && in.readBoolean());
    }

    private static FileTime time(long seconds, int nanos) {
        try {
            return FileTime.from(Instant.ofEpochSecond(seconds, nanos));
        } catch (DateTimeException | ArithmeticException e) {
            throw new ProgramException("the other end has sent an invalid time of a file", e);
        }
    }

    boolean isThere(PosixFileAttributes there) {
        return there.isRegularFile()
                && there.size() == size
                && there.lastModifiedTime().equals(time);
    }

    /** Gives a file or folder its time and mode. */
    void keep(Path path) throws IOException {
        PosixFileAttributeView view = keepTime(path);
        view.setPermissions(CopySender.permissions(mode));
    }

    PosixFileAttributeView keepTime(Path path) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setTimes(time, null, null);
        return view;
    }
}
