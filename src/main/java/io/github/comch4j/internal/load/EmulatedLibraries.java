package io.github.comch4j.internal.load;

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
                    "this jar has no emulated BlueField for " + platform.folder() + " (" + resources
                            + LibraryLocator.COMCH + "); install the DOCA SDK, or set "
                            + LibrarySettings.LIBRARY_PROPERTY
                            + " to a folder with libraries built for this platform",
                    null);
        }
        synchronized (Runtime.getRuntime()) { // which the copies of this class in other loaders have as well
            Soname.choose();
            loaded("the emulated BlueField", true, common, comch); // in this order: the second needs the first
        }
        String url = comch.toString();
        return url.substring(0, url.lastIndexOf('/'));
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

    private static SymbolLookup loaded(Platform platform, String name, boolean amongOthers) {
        URL resource = EmulatedLibraries.class.getResource("/native/" + platform.folder() + "/" + name);
        return resource == null ? null : loaded(name, amongOthers, resource);
    }

    /**
     * Loads libraries of the jar from where they can be, among those of this class's loader or by themselves. Returns
     * the symbols of the last one.
     */
    private static SymbolLookup loaded(String what, boolean amongOthers, URL... resources) {
        List<String> failures = new ArrayList<>();
        Throwable last = null;
        for (int place = 0; place < places(); place++) {
            Path parent = null;
            try {
                parent = place(place);
                return loadFrom(parent, amongOthers, resources);
            } catch (IOException e) {
                failures.add("cannot write to " + (parent == null ? "the fabric folder" : parent) + " (" + e + ")");
                last = e;
            } catch (IllegalArgumentException | UnsatisfiedLinkError e) {
                failures.add("cannot load from " + parent + ", which may be mounted noexec (" + e.getMessage() + ")");
                last = e;
            }
        }
        throw Failures.unusable(
                "cannot unpack and load " + what + ": " + String.join("; ", failures) + "; set "
                        + LibrarySettings.NATIVE_DIR_PROPERTY + " to a folder that is writable and not mounted noexec",
                last);
    }

    private static SymbolLookup loadFrom(Path parent, boolean amongOthers, URL... resources) throws IOException {
        Path folder = privateFolder(parent);
        List<Path> files = new ArrayList<>();
        try {
            for (URL resource : resources) {
                String url = resource.toString();
                files.add(folder.resolve(url.substring(url.lastIndexOf('/') + 1)));
                unpack(resource, files.getLast());
            }
            SymbolLookup symbols = null;
            for (Path file : files) {
                symbols = load(file, amongOthers);
            }
            return symbols;
        } finally {
            for (Path file : files) {
                remove(file);
            }
            remove(folder);
        }
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

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            Log.logger().log(System.Logger.Level.WARNING, "could not remove {0}: {1}", path, e);
        }
    }
}
