package io.github.comch4j.internal.load;

import io.github.comch4j.NativeLibraryException.Reason;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Log;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The emulated BlueField's libraries: from the jar into a folder, from there into the process, and the folder away.
 *
 * <p>The folder is new and belongs to its user alone, so nobody can put another library into its place. It is removed
 * as soon as the libraries are loaded, because Linux keeps what is mapped: nothing is left behind even by a process
 * that is killed.
 */
public final class EmulatedLibraries {
    private static final int MAX_ATTEMPTS = 1000;

    private EmulatedLibraries() {}

    /** Loads them; returns where in the jar they come from. */
    static String load(Platform platform) {
        String resources = "/native/" + platform.folder() + "/";
        URL common = EmulatedLibraries.class.getResource(resources + LibraryLocator.COMMON);
        URL comch = EmulatedLibraries.class.getResource(resources + LibraryLocator.COMCH);
        if (common == null || comch == null) {
            throw Failures.unusable(
                    Reason.UNSUPPORTED_PLATFORM,
                    "this jar has no emulated BlueField for " + platform.folder() + " (" + resources
                            + LibraryLocator.COMCH + "); install the DOCA SDK, or set "
                            + LibrarySettings.LIBRARY_PROPERTY
                            + " to a folder with libraries built for this platform",
                    null);
        }
        List<String> failures = new ArrayList<>();
        Throwable last = null;
        for (int place = 0; place < places(); place++) {
            Path parent = null;
            try {
                parent = place(place);
                load(parent, common, comch);
                String url = comch.toString();
                return url.substring(0, url.lastIndexOf('/'));
            } catch (IOException e) {
                failures.add("cannot write to " + (parent == null ? "the fabric folder" : parent) + " (" + e + ")");
                last = e;
            } catch (UnsatisfiedLinkError e) {
                failures.add("cannot load from " + parent + ", which may be mounted noexec (" + e.getMessage() + ")");
                last = e;
            }
        }
        throw Failures.unusable(
                Reason.NOT_UNPACKED,
                "cannot unpack and load the emulated BlueField: " + String.join("; ", failures) + "; set "
                        + LibrarySettings.NATIVE_DIR_PROPERTY + " to a folder that is writable and not mounted noexec",
                last);
    }

    /** In how many places a folder for the libraries may be made. */
    private static int places() {
        return LibrarySettings.nativeFolder() == null ? 2 : 1;
    }

    /**
     * Where to try: the folder that the user names, or else the usual one, and the fabric folder, which is as private
     * and which a container may have as the only place to write to.
     */
    private static Path place(int number) throws IOException {
        Path named = LibrarySettings.nativeFolder();
        if (named != null) {
            return named;
        }
        return number == 0
                ? FabricFolder.path("java.io.tmpdir", System.getProperty("java.io.tmpdir"))
                : FabricFolder.open(System.getenv("DOCA_EMU_DIR"));
    }

    private static void load(Path parent, URL common, URL comch) throws IOException {
        Path folder = privateFolder(parent);
        try {
            synchronized (Runtime.getRuntime()) { // which the copies of this class in other loaders have as well
                Soname.choose();
                Path commonFile = unpack(common, folder.resolve(LibraryLocator.COMMON));
                Path comchFile = unpack(comch, folder.resolve(LibraryLocator.COMCH));
                NativeLibrary.loadPair(new LibraryLocator.Pair(commonFile, comchFile));
            }
        } finally {
            remove(folder, LibraryLocator.COMCH, LibraryLocator.COMMON);
        }
    }

    /**
     * Loads one more of the emulated BlueField's libraries, whose symbols are then found among those of the others.
     * Returns whether the jar has it for this platform.
     */
    static boolean loadMore(Platform platform, String name) {
        return loaded(platform, name, true) != null;
    }

    /**
     * Loads a library of ours that needs no other, in the same way, for as long as what is returned is held; null if
     * the jar has none for this platform.
     */
    public static SymbolLookup loadLibrary(Platform platform, String name) {
        return loaded(platform, name, false);
    }

    /**
     * Loads a library of the jar from where it can be, among those of this class's loader or by itself. Returns its
     * symbols; null if the jar has none for this platform.
     */
    private static SymbolLookup loaded(Platform platform, String name, boolean amongOthers) {
        URL resource = EmulatedLibraries.class.getResource("/native/" + platform.folder() + "/" + name);
        if (resource == null) {
            return null;
        }
        Throwable last = null;
        for (int place = 0; place < places(); place++) {
            Path folder = null;
            try {
                folder = privateFolder(place(place));
                return load(unpack(resource, folder.resolve(name)), amongOthers);
            } catch (IOException | IllegalArgumentException | UnsatisfiedLinkError e) {
                last = e;
            } finally {
                remove(folder, name);
            }
        }
        throw Failures.unusable(
                Reason.NOT_UNPACKED,
                "cannot unpack and load " + name + " (" + last + "); set " + LibrarySettings.NATIVE_DIR_PROPERTY
                        + " to a folder that is writable and not mounted noexec",
                last);
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup load(Path file, boolean amongOthers) {
        if (!amongOthers) {
            return SymbolLookup.libraryLookup(file, Arena.ofAuto());
        }
        System.load(file.toString());
        return SymbolLookup.loaderLookup();
    }

    /**
     * A new folder. Its name need not be hard to guess, as Files.createTempDirectory makes it at the price of a random
     * number generator for cryptography: one that is there already is not taken, whoever made it.
     */
    static Path privateFolder(Path parent) throws IOException {
        FileAttribute<?> forItsUser =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        long number = System.nanoTime();
        for (int attempts = 0; ; attempts++) {
            Path folder = parent.resolve("comch4j-" + Long.toHexString(number + attempts));
            try {
                return Files.createDirectory(folder, forItsUser);
            } catch (FileAlreadyExistsException e) {
                if (attempts == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    static Path unpack(URL resource, Path file) throws IOException {
        try (InputStream in = resource.openStream()) {
            if (Soname.isOwn()) {
                Files.write(file, Soname.rename(in.readAllBytes()), StandardOpenOption.CREATE_NEW);
            } else {
                Files.copy(in, file);
            }
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x------"));
        return file;
    }

    private static void remove(Path folder, String... names) {
        if (folder == null) {
            return;
        }
        for (String name : names) {
            remove(folder.resolve(name));
        }
        remove(folder);
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            Log.logger().log(System.Logger.Level.WARNING, "could not remove {0}: {1}", path, e);
        }
    }
}
