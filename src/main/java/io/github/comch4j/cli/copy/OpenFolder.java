package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.fabric.Descriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * A folder that is open. What is in it is reached through its descriptor and by a single name, so that neither a link
 * nor another folder in its place, made meanwhile, leads out of it.
 */
public final class OpenFolder implements AutoCloseable {
    private static final String NO_TEXT = "the locale cannot express its name";

    private final Descriptor folder;
    private final String name; // for messages

    private OpenFolder(Descriptor folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    /** A folder that the user has named: that may be a link. */
    public static OpenFolder root(Path folder) throws IOException {
        return new OpenFolder(Descriptor.folder(folder), folder.toString());
    }

    /** A folder in it, which must not be a link. */
    OpenFolder folder(String child) throws IOException {
        return new OpenFolder(folder.folder(single(child)), child);
    }

    /**
     * Makes a folder in it, if it is not there, which must not be a link. Its mode is what {@code umask} leaves; that
     * of one there stays. Returns whether it was made.
     */
    boolean makeFolder(String child) throws IOException {
        boolean made = !exists(child);
        if (made) {
            Files.createDirectory(path(child));
        }
        folder(child).close();
        return made;
    }

    /** What is in it under this name; for calls that do not follow a link. */
    Path path(String child) {
        single(child);
        try {
            return folder.path().resolve(child);
        } catch (InvalidPathException e) {
            throw new InvalidPathException(child, NO_TEXT);
        }
    }

    /** Why there is nothing of a name: bytes that are no text for Java are another name when they are text again. */
    public static String missing(String name) {
        return name.indexOf('\uFFFD') < 0 ? "is not there" : NO_TEXT;
    }

    boolean exists(String child) {
        return Files.exists(path(child), LinkOption.NOFOLLOW_LINKS);
    }

    PosixFileAttributes attributes(String child) throws IOException {
        return Files.readAttributes(path(child), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** The names in it, in order. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder.path())) {
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
    public static List<String> names(String relative) {
        List<String> names = new ArrayList<>();
        for (String name : relative.split("/")) {
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(single(name));
            }
        }
        return names;
    }

    /** The last folder on a way, opened step by step; to be closed. */
    OpenFolder walk(List<String> way) throws IOException {
        OpenFolder at = new OpenFolder(folder.folder("."), name);
        try {
            for (String step : way) {
                OpenFolder next = at.folder(step);
                at.close();
                at = next;
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    /** Waits until the names in it are on the disk. */
    void force() throws IOException {
        try (FileChannel open = FileChannel.open(folder.path(), StandardOpenOption.READ)) {
            open.force(true);
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
