package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of {@code comch cp} that has the files. It announces many before the first one is answered; their bytes go
 * one file after the other, as the answers come.
 */
final class CopySender {
    /** Of files that are announced, and have no last answer: as many are open at either end. */
    static final int MOST_AT_ONCE = 64;

    private static final int LONGEST_PATH = 16_000;
    /** What is zero for so long, at a multiple of it, becomes a hole. */
    private static final int BLOCK_BYTES = 4096;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(BLOCK_BYTES);

    /** What is announced: a file, or a folder or a link, which have no bytes. */
    private static final class Entry implements Closeable {
        final char kind;
        final int number;
        final String as;
        final long size;
        private final @Nullable FileChannel file;
        CopySum sum = new CopySum();
        long left;
        boolean begun;
        boolean accepted;

        Entry(char kind, int number, String as, @Nullable FileChannel file, long size) {
            this.kind = kind;
            this.number = number;
            this.as = as;
            this.file = file;
            this.size = size;
        }

        FileChannel file() {
            return Objects.requireNonNull(file);
        }

        @Override
        public void close() throws IOException {
            if (file != null) {
                file.close();
            }
        }
    }

    private final CopyLink link;
    private final CopyReport report;
    private final CopyOptions wish;
    private final CopyOutput out;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CopyLink.CHUNK_BYTES);
    private final Map<Integer, Entry> announced = new HashMap<>();
    private final Deque<Entry> wanted = new ArrayDeque<>();
    private int last;

    CopySender(CopyLink link, CopyReport report, CopyOptions wish) {
        this.link = link;
        this.report = report;
        this.wish = wish;
        this.out = new CopyOutput(link);
    }

    void send(CopySources sources) throws IOException {
        try {
            for (CopySources.Source source : sources.all) {
                send(source.parent(), source.name(), source.as());
            }
            while (!announced.isEmpty()) {
                goOn();
            }
            out.write('Z', 0, message -> {});
            out.flush();
            link.expect("O");
        } finally {
            for (Entry entry : announced.values()) {
                entry.close();
            }
        }
    }

    /** How much there is to send, as far as can be seen now: files and bytes. */
    long[] total(CopySources sources) {
        long[] total = new long[2];
        for (CopySources.Source source : sources.all) {
            count(source.parent(), source.name(), total);
        }
        return total;
    }

    private void count(OpenFolder parent, String name, long[] total) {
        link.checkStopped();
        try {
            PosixFileAttributes attributes = parent.attributes(name);
            if (attributes.isRegularFile()) {
                total[0]++;
                total[1] += attributes.size();
            } else if (attributes.isSymbolicLink() && wish.links()) {
                total[0]++;
            } else if (attributes.isDirectory() && wish.recursive()) {
                try (OpenFolder folder = parent.folder(name)) {
                    for (String each : folder.names()) {
                        count(folder, each, total);
                    }
                }
            }
        } catch (IOException | InvalidPathException e) {
            // is told when it is its turn
        }
    }

    private void send(OpenFolder parent, String name, String as) throws IOException {
        link.checkStopped();
        while (announced.size() >= MOST_AT_ONCE) {
            goOn();
        }
        if (as.length() > LONGEST_PATH) {
            notSent(as.substring(0, LONGEST_PATH) + "…", "the path is too long");
            return;
        }
        try {
            send(parent, name, as, parent.attributes(name));
        } catch (FileSystemException | InvalidPathException e) {
            notSent(as, e instanceof NoSuchFileException ? OpenFolder.missing(name) : ProgramException.reason(e));
        }
    }

    private void send(OpenFolder parent, String name, String as, PosixFileAttributes attributes) throws IOException {
        if (attributes.isRegularFile()) {
            if (!CopyFile.isPart(name)) {
                file(parent, name, as, attributes);
            }
        } else if (attributes.isSymbolicLink()) {
            symbolicLink(parent, name, as, attributes);
        } else if (!attributes.isDirectory()) {
            notSent(as, "is neither a file nor a folder");
        } else if (!wish.recursive()) {
            notSent(as, "is a folder (-r copies folders)");
        } else {
            folder(parent, name, as, attributes);
        }
    }

    private void notSent(String as, String why) throws IOException {
        out.write('K', 0, message -> {
            message.writeUTF(as);
            message.writeUTF(why);
        });
        report.failed(as, why);
    }

    private void folder(OpenFolder parent, String name, String as, PosixFileAttributes attributes) throws IOException {
        try (OpenFolder folder = parent.folder(name)) {
            List<String> names = folder.names();
            Entry entry = announce('D', as, null, 0, message -> writeAttributes(message, attributes));
            while (announced.containsKey(entry.number)) {
                goOn();
            }
            if (entry.accepted) {
                for (String each : names) {
                    send(folder, each, as + "/" + each);
                }
            }
        }
    }

    private void symbolicLink(OpenFolder parent, String name, String as, PosixFileAttributes attributes)
            throws IOException {
        if (!wish.links()) {
            notSent(as, "is a link (-P copies links)");
            return;
        }
        String target = Files.readSymbolicLink(parent.path(name)).toString();
        announce('L', as, null, 0, message -> {
            writeAttributes(message, attributes);
            message.writeUTF(target);
        });
    }

    private void file(OpenFolder parent, String name, String as, PosixFileAttributes attributes) throws IOException {
        FileChannel file =
                FileChannel.open(parent.path(name), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        announce('E', as, file, attributes.size(), message -> {
            writeAttributes(message, attributes);
            message.writeLong(attributes.size());
            message.writeBoolean(wish.update());
        });
    }

    private Entry announce(char kind, String as, @Nullable FileChannel file, long size, CopyLink.Writing rest)
            throws IOException {
        Entry entry = new Entry(kind, ++last, as, file, size);
        announced.put(entry.number, entry);
        out.write(kind, entry.number, message -> {
            message.writeUTF(as);
            rest.to(message);
        });
        return entry;
    }

    private static void writeAttributes(DataOutputStream message, PosixFileAttributes attributes) throws IOException {
        Instant time = attributes.lastModifiedTime().toInstant();
        message.writeShort(mode(attributes.permissions()));
        message.writeLong(time.getEpochSecond());
        message.writeInt(time.getNano());
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

    /** An answer, or some bytes of the file whose turn it is, or a moment of waiting. */
    private void goOn() throws IOException {
        Entry next = wanted.peek();
        if (next == null) {
            out.flush();
        }
        CopyLink.Message answer = next != null ? link.poll() : link.pause();
        if (answer != null) {
            Entry entry = announced.get(answer.file());
            if (entry != null) {
                answered(entry, answer);
            } else if (answer.file() < 1 || answer.file() > last) {
                throw CopyLink.notUnderstood();
            } // else it was given up meanwhile
        } else if (next != null) {
            bytes(next);
        }
    }

    private void answered(Entry entry, CopyLink.Message answer) throws IOException {
        if (answer.kind() == 'W' && entry.kind == 'E' && !entry.begun) {
            begin(entry, answer.rest());
        } else if (answer.kind() == 'X') {
            if (wanted.contains(entry)) {
                out.write('C', entry.number, message -> message.writeUTF("is not wanted"));
            }
            end(entry);
            report.failed(entry.as, CopyLink.text(answer));
        } else if (answer.kind() == 'O' && !wanted.contains(entry)) {
            end(entry);
            entry.accepted = true;
            if (entry.kind != 'D') {
                report.there(entry.begun ? 0 : entry.size);
                report.done();
            }
        } else {
            throw CopyLink.notUnderstood();
        }
    }

    private void begin(Entry entry, DataInputStream rest) throws IOException {
        entry.begun = true;
        long there = rest.readLong();
        if (there < 0 || there > entry.size) {
            throw new ProgramException("the other end reports more bytes of " + entry.as + " than the file has");
        }
        wanted.add(entry);
        long from;
        try {
            entry.sum.add(entry.file(), there, link);
            if (entry.sum.equalsNext(rest)) {
                from = there;
            } else { // of another file, or of this one before it was changed
                from = 0;
                entry.sum = new CopySum();
                entry.file().position(0);
            }
        } catch (IOException e) {
            giveUp(entry, e);
            return;
        }
        report.there(from);
        entry.left = entry.size - from;
        out.write('F', entry.number, message -> message.writeLong(from));
    }

    /** The next bytes of a file, up to a multiple of the buffer's length. */
    private void bytes(Entry entry) throws IOException {
        int room = buffer.capacity() - (int) ((entry.size - entry.left) % buffer.capacity());
        buffer.clear().limit((int) Math.min(room, entry.left));
        try {
            while (buffer.hasRemaining()) {
                if (entry.file().read(buffer) < 0) {
                    throw new EOFException("became shorter while it was copied");
                }
            }
        } catch (IOException e) {
            giveUp(entry, e);
            return;
        }
        buffer.flip();
        entry.sum.add(buffer);
        entry.left -= buffer.limit();
        report.begin(entry.as);
        report.moved(buffer.limit());
        write(entry.number, buffer);
        if (entry.left == 0) {
            wanted.remove(entry);
            out.write('S', entry.number, entry.sum::write);
        }
    }

    /** As bytes, and holes. */
    private void write(int number, ByteBuffer bytes) throws IOException {
        for (int from = 0, to = 0; from < bytes.limit(); from = to) {
            boolean hole = isHole(bytes, from);
            do {
                to = Math.min(to + BLOCK_BYTES, bytes.limit());
            } while (to < bytes.limit() && isHole(bytes, to) == hole);
            int length = to - from;
            if (hole) {
                out.write('H', number, message -> message.writeInt(length));
            } else {
                out.write('B', number, bytes.slice(from, length));
            }
        }
    }

    private static boolean isHole(ByteBuffer bytes, int at) {
        return at + BLOCK_BYTES <= bytes.limit()
                && bytes.getLong(at) == 0
                && bytes.slice(at, BLOCK_BYTES).mismatch(ZEROS) < 0;
    }

    private void giveUp(Entry entry, IOException e) throws IOException {
        String why = ProgramException.reason(e);
        end(entry);
        out.write('C', entry.number, message -> message.writeUTF(why));
        report.failed(entry.as, why);
    }

    private void end(Entry entry) throws IOException {
        announced.remove(entry.number);
        wanted.remove(entry);
        entry.close();
    }
}
