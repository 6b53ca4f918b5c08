package io.github.comch4j.internal.load;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * The folder of the emulated machine, as a place to unpack libraries in: the second one, as a container may have no
 * other that can be written to and executed from. The same folder, under the same rules, as
 * {@code common/core/folder.c} opens it.
 */
final class FabricFolder {
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private FabricFolder() {}

    /**
     * The folder, made if there is none.
     *
     * @param chosen the value of {@code DOCA_EMU_DIR}, or null
     * @throws IOException if it cannot be made, or somebody else could put a library into it
     */
    static Path open(String chosen) throws IOException {
        return chosen == null || chosen.isEmpty()
                ? openDefault(Path.of("/dev/shm"))
                : made(path("DOCA_EMU_DIR", chosen));
    }

    /** Nobody has named it, so anybody may have made something of that name. */
    static Path openDefault(Path parent) throws IOException {
        int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Path folder = made(parent.resolve("doca-emu-" + user));
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(folder + " is not a folder");
        }
        if (!Integer.valueOf(user).equals(Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            throw new IOException(folder + " belongs to another user");
        }
        Set<PosixFilePermission> writers = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        writers.retainAll(OF_OTHERS);
        if (!writers.isEmpty()) {
            throw new IOException(folder + " can be written to by others than its user");
        }
        return folder;
    }

    /** A name may have letters that the locale lacks, which Java cannot open. */
    static Path path(String setting, String value) throws IOException {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new IOException(setting + " is not a valid path: " + e.getMessage(), e);
        }
    }

    private static Path made(Path folder) throws IOException {
        try {
            return Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            return folder;
        }
    }
}
