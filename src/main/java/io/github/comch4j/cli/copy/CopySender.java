package io.github.comch4j.cli.copy;

import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.internal.support.program.ProgramException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The end of {@code comch cp} that has the files. */
public final class CopySender {
    /** A file or folder, and what it is called at the other end. */
    public record Source(Below parent, String name, String as) {}

    private final CopyLink link;
    private final CopyReport report;
    private final CopyWish wish;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES);

    public CopySender(CopyLink link, CopyReport report, CopyWish wish) {
        this.link = link;
        this.report = report;
        this.wish = wish;
    }

    public void send(List<Source> sources) throws IOException {
        for (Source source : sources) {
            send(source.parent, source.name, source.as);
        }
        link.send('Z');
        link.expect("O");
    }

    /** How much there is to send, as far as can be seen now: files and bytes. */
    public long[] total(List<Source> sources) {
        long[] total = new long[2];
        for (Source source : sources) {
            count(source.parent, source.name, total);
        }
        return total;
    }

    private void count(Below parent, String name, long[] total) {
        link.checkStopped();
        try {
            PosixFileAttributes attributes = parent.attributes(name);
            if (attributes.isRegularFile()) {
                total[0]++;
                total[1] += attributes.size();
            } else if (attributes.isSymbolicLink() && wish.links()) {
                total[0]++;
            } else if (attributes.isDirectory() && wish.recursive()) {
                try (Below folder = parent.folder(name)) {
                    for (String each : folder.names()) {
                        count(folder, each, total);
                    }
                }
            }
        } catch (IOException | InvalidPathException e) {
            // is told when it is its turn
        }
    }

    private void send(Below parent, String name, String as) throws IOException {
        link.checkStopped();
        PosixFileAttributes attributes;
        try {
            attributes = parent.attributes(name);
        } catch (IOException | InvalidPathException e) {
            report.failed(as, ProgramException.reason(e));
            return;
        }
        if (attributes.isRegularFile()) {
            if (!CopyReceiver.isPart(name)) {
                file(parent, name, as, attributes);
            }
        } else if (attributes.isSymbolicLink()) {
            symbolicLink(parent, name, as);
        } else if (!attributes.isDirectory()) {
            report.failed(as, "is neither a file nor a folder");
        } else if (!wish.recursive()) {
            report.failed(as, "is a folder (-r copies folders)");
        } else {
            folder(parent, name, as, attributes);
        }
    }

    private void folder(Below parent, String name, String as, PosixFileAttributes attributes) throws IOException {
        List<String> names;
        try (Below folder = parent.folder(name)) {
            names = folder.names();
            if (!accepted('D', as, attributes, 0)) {
                return;
            }
            for (String each : names) {
                send(folder, each, as + "/" + each);
            }
        } catch (FileSystemException e) {
            report.failed(as, ProgramException.reason(e));
        }
    }

    private void symbolicLink(Below parent, String name, String as) throws IOException {
        if (!wish.links()) {
            report.failed(as, "is a link (-P copies links)");
            return;
        }
        try {
            String target = Files.readSymbolicLink(parent.path(name)).toString();
            link.send('L', message -> {
                message.writeUTF(as);
                message.writeUTF(target);
            });
        } catch (IOException | ProgramException e) {
            report.failed(as, e instanceof ProgramException ? e.getMessage() : ProgramException.reason(e));
            return;
        }
        CopyLink.Message answer = receive("OX");
        if (answer.kind() == 'X') {
            report.refused(as, CopyLink.text(answer));
        } else {
            report.done();
        }
    }

    private boolean accepted(char kind, String as, PosixFileAttributes attributes, long size) throws IOException {
        try {
            announce(kind, as, attributes, size);
        } catch (ProgramException e) {
            report.failed(as, e.getMessage());
            return false;
        }
        CopyLink.Message answer = receive("OX");
        if (answer.kind() == 'X') {
            report.refused(as, CopyLink.text(answer));
        }
        return answer.kind() == 'O';
    }

    private CopyLink.Message receive(String kinds) throws IOException {
        CopyLink.Message message = link.receive();
        if (kinds.indexOf(message.kind()) < 0) {
            throw new ProgramException("the other end says what this version does not understand");
        }
        return message;
    }

    private void announce(char kind, String as, PosixFileAttributes attributes, long size) {
        Instant time = attributes.lastModifiedTime().toInstant();
        link.send(kind, message -> {
            message.writeUTF(as);
            message.writeShort(mode(attributes.permissions()));
            message.writeLong(time.getEpochSecond());
            message.writeInt(time.getNano());
            message.writeLong(size);
            message.writeBoolean(wish.update());
        });
    }

    /** The nine lowest bits of a mode. */
    static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (char each : PosixFilePermissions.toString(permissions).toCharArray()) {
            mode = mode << 1 | (each == '-' ? 0 : 1);
        }
        return mode;
    }

    /** The permissions that such bits stand for. */
    static Set<PosixFilePermission> permissions(int mode) {
        StringBuilder text = new StringBuilder("rwxrwxrwx");
        for (int i = 0; i < text.length(); i++) {
            if ((mode & 0400 >> i) == 0) {
                text.setCharAt(i, '-');
            }
        }
        return PosixFilePermissions.fromString(text.toString());
    }

    private void file(Below parent, String name, String as, PosixFileAttributes attributes) throws IOException {
        long size = attributes.size();
        FileChannel opened;
        try {
            opened = FileChannel.open(parent.path(name), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            report.failed(as, ProgramException.reason(e));
            return;
        }
        try (FileChannel file = opened) {
            report.begin(as, size);
            try {
                announce('E', as, attributes, size);
            } catch (ProgramException e) {
                report.failed(as, e.getMessage());
                return;
            }
            CopyLink.Message answer = receive("WOX");
            if (answer.kind() == 'W') {
                bytes(file, size, as, answer);
                answer = receive("OX");
            } else if (answer.kind() == 'O') {
                report.there(size);
            }
            if (answer.kind() == 'X') {
                report.refused(as, CopyLink.text(answer));
            } else {
                report.done();
            }
        }
    }

    private void bytes(FileChannel file, long size, String as, CopyLink.Message wanted) throws IOException {
        long there = wanted.rest().readLong();
        if (there < 0 || there > size) {
            throw new ProgramException("the other end has more of " + as + " than there is");
        }
        CopySum sum = new CopySum();
        sum.add(file, there, link);
        if (!sum.equalsNext(wanted.rest())) {
            there = 0; // of another file, or of this one before it was changed
            sum = new CopySum();
        }
        long from = there;
        link.send('F', message -> message.writeLong(from));
        report.there(from);
        file.position(from);
        for (long left = size - from; left > 0; left -= buffer.limit()) {
            link.checkStopped();
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            while (buffer.hasRemaining()) {
                if (file.read(buffer) < 0) {
                    throw new EOFException(as + " became shorter while it was copied");
                }
            }
            sum.add(buffer.flip());
            write(buffer.duplicate());
            report.moved(buffer.limit());
        }
        link.send('S', sum::write);
    }

    private void write(ByteBuffer bytes) throws IOException {
        try {
            link.output().write(bytes);
        } catch (IOException e) {
            throw why(e);
        }
    }

    /** The other end may have said why it reads no more. */
    private IOException why(IOException e) {
        try {
            while (true) {
                CopyLink.Message message = link.receive();
                if (message.kind() == 'X') {
                    throw new ProgramException(CopyLink.text(message), e);
                }
            }
        } catch (ConnectionClosedException | IOException end) {
            return e;
        }
    }
}
