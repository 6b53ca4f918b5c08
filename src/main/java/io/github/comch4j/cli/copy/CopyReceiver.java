package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of {@code comch cp} that gets the files. Those that are whole take their names together, when nothing else
 * is to be done or some time has passed, so that the disk is waited for once.
 */
final class CopyReceiver {
    /** Of folders whose mode and time are set at the end; those of further ones are not. */
    private static final int MOST_FOLDERS = 1_000_000;

    private static final long LONGEST_WAIT_NANOS = 100_000_000;

    private final CopyLink link;
    private final CopyInput in;
    private final OpenFolder root;
    private final List<String> base;
    private final CopyReport report;
    private final List<CopyEntry> folders = new ArrayList<>();
    /** By number; null: has failed, and the other end may not know. */
    private final Map<Integer, @Nullable CopyFile> growing = new HashMap<>();

    private final Map<Integer, CopyFile> whole = new HashMap<>(); // without their names
    private long since; // the first of them
    private final Set<List<String>> changed = new HashSet<>(); // folders with new ones in them

    /** {@code base}: the way from the root to where all goes. */
    CopyReceiver(CopyLink link, OpenFolder root, List<String> base, CopyReport report) {
        this.link = link;
        this.in = new CopyInput(link);
        this.root = root;
        this.base = base;
        this.report = report;
    }

    /** Until the other end has sent all. */
    void receive() throws IOException {
        try {
            CopyLink.Message record = next();
            while (record.kind() != 'Z') {
                take(record);
                record = next();
            }
            while (!whole.isEmpty()) {
                in.pause();
                takeNames();
            }
            finishFolders();
            link.send('O', 0);
        } finally {
            interrupt();
        }
    }

    private void interrupt() {
        try {
            takeNames();
        } catch (RuntimeException e) {
            // the other end cannot be told
        }
        whole.values().forEach(CopyFile::interrupt);
        for (CopyFile file : growing.values()) {
            if (file != null) {
                file.interrupt();
            }
        }
    }

    /** The next record; until there is one, what is on the disk takes its name. */
    private CopyLink.Message next() throws IOException {
        takeNames();
        while (in.isIdle()) {
            in.pause();
            takeNames();
        }
        return in.next();
    }

    private void take(CopyLink.Message record) throws IOException {
        int number = record.file();
        switch (record.kind()) {
            case 'E', 'D', 'L' -> entry(record);
            case 'K' -> report.failed(CopyLink.text(record), CopyLink.text(record)); // name and reason
            case 'F' -> {
                long from = record.rest().readLong();
                change(number, file -> report.there(file.begin(from)));
            }
            case 'B' -> bytes(number, record.rest().readInt());
            case 'H' -> {
                int length = record.rest().readInt();
                change(number, file -> file.skip(length));
                report.moved(length);
            }
            case 'S' -> end(record);
            case 'C' -> {
                String why = CopyLink.text(record);
                change(number, file -> {
                    throw new CopyRefusal(why);
                });
                growing.remove(number);
            }
            default -> throw CopyLink.notUnderstood();
        }
    }

    private void bytes(int number, int length) throws IOException {
        if (length < 0) {
            throw CopyLink.notUnderstood();
        }
        for (int left = length; left > 0; ) {
            ByteBuffer piece = in.next(left);
            left -= piece.remaining();
            report.moved(piece.remaining());
            change(number, file -> file.write(piece));
        }
    }

    private void end(CopyLink.Message record) throws IOException {
        change(record.file(), file -> {
            if (!file.isWhole(record.rest())) {
                throw new CopyRefusal("did not arrive as it was sent: its sums differ");
            }
            if (whole.isEmpty()) {
                since = System.nanoTime();
            }
            file.beginForce();
            whole.put(record.file(), file);
        });
        growing.remove(record.file());
    }

    private interface Change {
        void to(CopyFile file) throws IOException;
    }

    /** If it fails, this is the end of the file, and of no other. */
    private void change(int number, Change change) {
        CopyFile file = growing.get(number);
        if (file == null) {
            if (!growing.containsKey(number)) {
                throw CopyLink.notUnderstood();
            }
        } else if (!succeeds(number, file, change)) {
            growing.put(number, null);
        }
    }

    private boolean succeeds(int number, CopyFile file, Change change) {
        try {
            change.to(file);
            return true;
        } catch (IOException | CopyRefusal e) {
            file.remove();
            refuse(number, file.entry.target().toString(), ProgramException.reason(e));
            return false;
        }
    }

    private void refuse(int number, String name, String why) {
        report.failed(name, why);
        link.refuse(number, why);
    }

    /** What is on the disk is named, its name brought to the disk, and it is told: all together, or what waits long. */
    private void takeNames() {
        Map<Integer, CopyFile> ready = new HashMap<>(whole);
        ready.values().removeIf(file -> !file.isForced());
        if (ready.isEmpty() || (ready.size() < whole.size() && System.nanoTime() - since < LONGEST_WAIT_NANOS)) {
            return;
        }
        whole.keySet().removeAll(ready.keySet());
        since = System.nanoTime();
        try {
            takeNames(ready);
        } finally {
            ready.values().forEach(CopyFile::interrupt);
        }
    }

    private void takeNames(Map<Integer, CopyFile> ready) {
        change(ready, CopyFile::takeName);
        Set<List<String>> forced = new HashSet<>();
        change(ready, file -> {
            List<String> folder = file.entry.target().way();
            if (!forced.contains(folder)) {
                file.forceName();
                forced.add(folder);
            }
        });
        changed.removeAll(forced);
        changed.forEach(this::force);
        changed.clear();
        for (int number : ready.keySet()) {
            report.done();
            link.send('O', number);
        }
    }

    private void change(Map<Integer, CopyFile> files, Change change) {
        files.entrySet().removeIf(file -> !succeeds(file.getKey(), file.getValue(), change));
    }

    private void force(List<String> folder) {
        try (OpenFolder open = root.walk(folder)) {
            open.force();
        } catch (IOException e) {
            // it is no more
        }
    }

    private void entry(CopyLink.Message record) throws IOException {
        int number = record.file();
        if (number < 1 || growing.size() + whole.size() >= CopySender.MOST_AT_ONCE) {
            throw CopyLink.notUnderstood();
        }
        String name = "a file";
        try {
            CopyEntry.Target target = CopyEntry.Target.of(base, record.rest());
            name = target.toString();
            CopyEntry entry = CopyEntry.of(target, record.kind(), record.rest());
            OpenFolder parent = root.walk(target.way());
            boolean kept = false;
            try {
                PosixFileAttributes there = CopyFile.at(parent, target.name());
                switch (record.kind()) {
                    case 'D' -> folder(number, parent, entry);
                    case 'L' ->
                        symbolicLink(number, parent, entry, there, record.rest().readUTF());
                    default -> kept = file(number, parent, entry, there);
                }
            } finally {
                if (!kept) {
                    parent.close();
                }
            }
        } catch (CopyRefusal | InvalidPathException | FileSystemException e) {
            refuse(number, name, ProgramException.reason(e));
        }
    }

    private void folder(int number, OpenFolder parent, CopyEntry entry) throws IOException {
        if (parent.makeFolder(entry.target().name())) {
            changed.add(entry.target().way());
        }
        if (folders.size() < MOST_FOLDERS) {
            folders.add(entry);
        }
        link.send('O', number);
    }

    /** What is put into a folder changes its time, and may not be allowed by its mode. */
    private void finishFolders() {
        for (CopyEntry entry : folders.reversed()) {
            try (OpenFolder parent = root.walk(entry.target().way())) {
                entry.keep(parent.path(entry.target().name()));
            } catch (IOException e) {
                report.failed(entry.target().toString(), ProgramException.reason(e));
            }
        }
    }

    private void symbolicLink(
            int number, OpenFolder parent, CopyEntry entry, @Nullable PosixFileAttributes there, String text)
            throws IOException {
        if (!entry.target().keepsBelow(text)) {
            throw new CopyRefusal(
                    "is a link that leads out of the folder at the other end: " + CopyLink.printable(text));
        }
        checkNoFolder(there);
        Path path = parent.path(CopyFile.part(entry.target().name()));
        Files.createSymbolicLink(path, Path.of(text));
        try {
            entry.keepTime(path);
            Files.move(path, parent.path(entry.target().name()), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        report.done();
        link.send('O', number);
    }

    private static void checkNoFolder(@Nullable PosixFileAttributes there) {
        if (there != null && there.isDirectory()) {
            throw new CopyRefusal("is a folder at the other end");
        }
    }

    /** Returns whether bytes are wanted, until whose end the folder stays open. */
    private boolean file(int number, OpenFolder parent, CopyEntry entry, @Nullable PosixFileAttributes there)
            throws IOException {
        checkNoFolder(there);
        if (there != null && entry.update() && entry.isThere(there)) {
            report.there(entry.size());
            report.done();
            link.send('O', number);
            return false;
        }
        CopyFile file = CopyFile.open(parent, entry, link);
        growing.put(number, file);
        report.begin(entry.target().toString());
        link.send('W', number, file.wanted());
        return true;
    }
}
