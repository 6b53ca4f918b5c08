package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ProgramException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix socket that is listened on. It is bound in a folder that nobody else can enter, gets its mode and
 * owner there, and then its name: nobody can connect meanwhile who may not.
 */
final class UnixPath implements AutoCloseable {
    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;
    /** All that have four characters or less. */
    private static final int NAMES = 36 * 36 * 36 * 36;

    private final RelayEndpoint.Unix place;
    private final Path path;
    private final Path folder;
    private @Nullable Object key; // of the file, as soon as it has its name

    private UnixPath(RelayEndpoint.Unix place, Path path, Path folder) {
        this.place = place;
        this.path = path;
        this.folder = folder;
    }

    /** Looks whether the path is free, or what is there is nobody's any more. */
    static UnixPath claim(RelayEndpoint.Unix place) {
        Path path = Path.of(place.path()); // also relative: an absolute one may be too long for a socket
        Path parent = path.getParent() == null ? Path.of("") : path.getParent();
        try {
            checkFree(place, path);
            Path folder = folder(parent);
            if (RelayEndpoint.Unix.bytes(folder.resolve("s").toString()) > RelayEndpoint.Unix.LONGEST_PATH) {
                remove(folder);
                throw new ProgramException(place + ": the name of its folder is too long for a socket: start the relay"
                        + " in that folder, with unix:" + path.getFileName());
            }
            return new UnixPath(place, path, folder);
        } catch (NoSuchFileException e) {
            throw new ProgramException(place + ": there is no folder " + parent + ": make it first", e);
        } catch (AccessDeniedException e) {
            throw new ProgramException(
                    place + ": this user may make no file in " + parent.toAbsolutePath() + ": take another folder", e);
        } catch (IOException e) {
            throw new ProgramException(place + ": " + e.getMessage(), e);
        }
    }

    /** One that nobody else can enter, with a short name. */
    private static Path folder(Path parent) throws IOException {
        for (; ; ) {
            String name = Integer.toString(ThreadLocalRandom.current().nextInt(NAMES), Character.MAX_RADIX);
            try {
                return Files.createDirectory(
                        parent.resolve(".comch" + name),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                // another one
            }
        }
    }

    private static void checkFree(RelayEndpoint.Unix place, Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & TYPE) != SOCKET) {
            throw new ProgramException(place + ": the file exists and is no socket: remove it, or take another path");
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            return; // it is left from a program that has ended
        }
        throw new ProgramException(
                place + ": another program listens there: end it (ss -lxp tells which), or take another path");
    }

    /** Where to bind. */
    String temporary() {
        return folder.resolve("s").toString();
    }

    /** After it is bound. */
    void publish() {
        Path bound = folder.resolve("s");
        try {
            Files.setAttribute(bound, "unix:mode", place.mode());
            own(bound);
            key = Files.readAttributes(bound, java.nio.file.attribute.BasicFileAttributes.class)
                    .fileKey();
            Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new ProgramException(place + ": " + e.getMessage(), e);
        } finally {
            remove(folder);
        }
    }

    private void own(Path bound) throws IOException {
        UserPrincipalLookupService names = bound.getFileSystem().getUserPrincipalLookupService();
        PosixFileAttributeView view = Files.getFileAttributeView(bound, PosixFileAttributeView.class);
        String group = place.group();
        if (group != null) {
            give("group", group, () -> view.setGroup(names.lookupPrincipalByGroupName(group)));
        }
        String user = place.user();
        if (user != null) {
            give("user", user, () -> view.setOwner(names.lookupPrincipalByName(user)));
        }
    }

    private interface Change {
        void run() throws IOException;
    }

    private void give(String kind, String name, Change change) throws IOException {
        String what = place + ": " + kind + "=" + name + ": ";
        try {
            change.run();
        } catch (UserPrincipalNotFoundException e) {
            String database = kind.equals("user") ? "passwd" : "group";
            throw new ProgramException(
                    what + "there is no such " + kind + ": take one that \"getent " + database + "\" shows", e);
        } catch (FileSystemException e) {
            String remedy = kind.equals("user") ? "run as root" : "run as root, or as a member of the group";
            throw new ProgramException(
                    what + "this user may not do that (" + e.getReason() + "): " + remedy + ", or leave " + kind
                            + "= out",
                    e);
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // it is in nobody's way
        }
    }

    /** Removes the file, unless it is somebody else's by now. */
    @Override
    public void close() {
        remove(folder.resolve("s"));
        remove(folder);
        try {
            if (key != null
                    && key.equals(Files.readAttributes(
                                    path, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                            .fileKey())) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // it is gone
        }
    }
}
