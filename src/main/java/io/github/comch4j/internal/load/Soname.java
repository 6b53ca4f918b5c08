package io.github.comch4j.internal.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The name by which the emulated libraries find each other in the process. The system's loader takes what is loaded
 * under a name already: where another class loader, or a JNI library, has a {@code libdoca_common.so.2}, this class
 * loader's {@code libdoca_comch.so} would be bound to that one, which may be of another version. So the second copy
 * gets a name of its own. The first one keeps DOCA's, by which programs for the DPA find it.
 */
final class Soname {
    private static final byte[] COMMON = (LibraryLocator.COMMON + ".2").getBytes(StandardCharsets.US_ASCII);

    private static byte[] own; // null: as DOCA has it

    private Soname() {}

    /** Once, before the libraries are loaded. */
    static void choose() {
        if (isLoaded(Path.of("/proc/self/maps"))) {
            own = ("lib" + HexFormat.of().toHexDigits(System.nanoTime())).getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** Whether the names are not DOCA's. */
    static boolean isOwn() {
        return own != null;
    }

    /** A library whose name, and what it needs, is changed in place: both names have the same length. */
    static byte[] rename(byte[] library) {
        for (int at = 0; at + COMMON.length <= library.length; at++) {
            if (library[at] == COMMON[0] && Arrays.equals(library, at, at + COMMON.length, COMMON, 0, COMMON.length)) {
                System.arraycopy(own, 0, library, at, own.length);
            }
        }
        return library;
    }

    /** Whether a process has a DOCA, by the list of its mappings. */
    static boolean isLoaded(Path maps) {
        try {
            return Files.readString(maps, StandardCharsets.ISO_8859_1).contains("/" + LibraryLocator.COMMON);
        } catch (IOException e) {
            return false; // no /proc
        }
    }
}
