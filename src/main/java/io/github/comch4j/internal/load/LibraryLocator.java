package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Log;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which libraries to load. Looks, but loads nothing.
 *
 * <p>A folder qualifies when it holds two libraries, DOCA's common one and Comch's, which is called {@code libdoca_cc}
 * in DOCA 2.5 and 2.6; they are never mixed from two folders. Runtime packages ship versioned names only
 * ({@code libdoca_comch.so.2}), so those count as well, the highest version first.
 */
public final class LibraryLocator {
    static final String COMMON = "libdoca_common.so";
    static final String COMCH = "libdoca_comch.so";
    static final String CC = "libdoca_cc.so"; // Comch's name before 2.7

    static final String CHANNEL = "libdoca_comm_channel.so"; // the endpoint API, from 1.5 to 2.8

    /** The two files of a folder. Which generation of Comch the second one is, only its symbols tell. */
    record Pair(Path common, Path comch) {
        /** The endpoint API, where there is one beside them. */
        Optional<Path> channel() {
            return find(folder(), CHANNEL);
        }

        Path folder() {
            return comch.getParent();
        }
    }

    /**
     * The decision.
     *
     * @param files empty for the emulated libraries, which are in the jar
     * @param warning what the user should know about an SDK that is not taken
     */
    record Choice(LibraryInfo.Kind kind, Optional<Pair> files, String reason, Optional<String> warning) {
        Choice(LibraryInfo.Kind kind, Optional<Pair> files, String reason) {
            this(kind, files, reason, Optional.empty());
        }
    }

    private final List<Path> systemFolders;

    LibraryLocator(List<Path> systemFolders) {
        this.systemFolders = List.copyOf(systemFolders);
    }

    /** The folders in which the system's loader, or DOCA's packages, would have the libraries. */
    static LibraryLocator forSystem(String arch, Map<String, String> environment) {
        return new LibraryLocator(systemFolders(arch, environment));
    }

    /** Those folders; the first one with both libraries is taken. */
    public static List<Path> systemFolders(String arch, Map<String, String> environment) {
        List<Path> folders = new ArrayList<>();
        for (String entry : environment.getOrDefault("LD_LIBRARY_PATH", "").split(":")) {
            if (entry.startsWith("/")) {
                addIfPath(folders, entry);
            }
        }
        String multiarch = arch + "-linux-gnu";
        for (String folder : List.of(
                "/opt/mellanox/doca/lib/" + multiarch,
                "/opt/mellanox/doca/lib64",
                "/opt/mellanox/doca/lib",
                "/usr/local/lib/" + multiarch,
                "/usr/local/lib",
                "/usr/lib/" + multiarch,
                "/lib/" + multiarch,
                "/usr/lib64",
                "/lib64",
                "/usr/lib")) {
            folders.add(Path.of(folder));
        }
        return folders;
    }

    /** DOCA's common library in a folder. */
    public static Optional<Path> common(Path folder) {
        return find(folder, COMMON);
    }

    /** Comch in a folder, under either of its names. */
    public static Optional<Path> comch(Path folder) {
        Optional<Path> found = find(folder, COMCH);
        return found.isEmpty() ? find(folder, CC) : found;
    }

    /** Skips what is no path, such as a name with an umlaut where the locale is C: Java cannot open it. */
    private static void addIfPath(List<Path> folders, String entry) {
        try {
            folders.add(Path.of(entry));
        } catch (InvalidPathException e) {
            Log.logger().log(System.Logger.Level.DEBUG, "skipping a folder of LD_LIBRARY_PATH: {0}", e.toString());
        }
    }

    /**
     * Decides.
     *
     * @param setting {@code auto}, {@code system}, {@code emulated} or a folder
     * @param source where the setting was made, for messages
     */
    Choice choose(String setting, String source) {
        return switch (setting) {
            case "auto" -> automatic();
            case "emulated" -> new Choice(LibraryInfo.Kind.EMULATED, Optional.empty(), source + " asks for it");
            case "system" ->
                new Choice(
                        LibraryInfo.Kind.SYSTEM,
                        Optional.of(system().orElseThrow(this::noSystem)),
                        source + " asks for it");
            default -> new Choice(LibraryInfo.Kind.FOLDER, Optional.of(folder(setting, source)), source + " names it");
        };
    }

    private Choice automatic() {
        Optional<Pair> pair = system();
        return pair.isEmpty()
                ? emulated()
                : new Choice(
                        LibraryInfo.Kind.SYSTEM,
                        pair,
                        "the DOCA SDK is installed in " + pair.get().folder());
    }

    private Optional<Pair> system() {
        for (Path folder : systemFolders) {
            Optional<Pair> pair = pairIn(folder);
            if (pair.isPresent()) {
                return pair;
            }
        }
        return Optional.empty();
    }

    private Choice emulated() {
        Optional<String> half = halfSdk();
        return new Choice(
                LibraryInfo.Kind.EMULATED,
                Optional.empty(),
                half.isEmpty() ? "no DOCA SDK is installed" : "the DOCA SDK that is installed has no Comch",
                half);
    }

    private Optional<String> halfSdk() {
        for (Path folder : systemFolders) {
            Optional<String> without = withoutComch(folder);
            if (without.isPresent()) {
                return without;
            }
        }
        return Optional.empty();
    }

    /** Says what a folder has and lacks that holds DOCA without Comch. */
    private static Optional<String> withoutComch(Path folder) {
        Optional<Path> common = find(folder, COMMON);
        return common.isEmpty() || pairIn(folder).isPresent()
                ? Optional.empty()
                : Optional.of(folder + " holds " + common.get().getFileName() + " but neither " + COMCH + " nor " + CC
                        + ": this is DOCA without Comch; install the package doca-sdk-comch (DOCA 2.7 or later),"
                        + " or Comch of DOCA 2.5 or 2.6");
    }

    private NativeLibraryException noSystem() {
        Optional<String> half = halfSdk();
        if (half.isPresent()) {
            return Failures.unusable("no usable DOCA SDK: " + half.get(), null);
        }
        return Failures.unusable(
                "no DOCA SDK found: looked for " + COMMON + " with " + COMCH + " or " + CC
                        + " (also with a version after the name) in " + systemFolders
                        + "; install the doca-sdk-comch package, add its folder to LD_LIBRARY_PATH,"
                        + " or set comch4j.library to its folder",
                null);
    }

    private static Pair folder(String setting, String source) {
        Path folder = path(setting, source);
        if (!folder.isAbsolute() && !setting.contains("/")) {
            throw Failures.unusable(
                    source + " is '" + setting
                            + "': expected auto, system, emulated or a folder (with at least one '/')",
                    null);
        }
        return pairIn(folder.toAbsolutePath().normalize())
                .orElseThrow(() -> Failures.unusable(
                        source + " names " + folder
                                + withoutComch(folder.toAbsolutePath().normalize())
                                        .map(half -> ": " + half)
                                        .orElse(", which does not hold " + COMMON + " with " + COMCH + " or " + CC),
                        null));
    }

    private static Path path(String setting, String source) {
        try {
            return Path.of(setting);
        } catch (InvalidPathException e) {
            throw Failures.unusable(
                    source + " is '" + setting + "', which is not a valid path (" + e.getMessage()
                            + "); check that the locale supports its characters",
                    e);
        }
    }

    private static Optional<Pair> pairIn(Path folder) {
        Optional<Path> common = common(folder);
        Optional<Path> comch = common.isEmpty() ? common : comch(folder);
        return comch.isEmpty() ? Optional.empty() : Optional.of(new Pair(common.get(), comch.get()));
    }

    static Optional<Path> find(Path folder, String name) {
        Path plain = folder.resolve(name);
        if (Files.isRegularFile(plain)) {
            return Optional.of(plain);
        }
        String[] names = folder.toFile().list();
        if (names == null) {
            return Optional.empty(); // no such folder, or one that this user may not read
        }
        String best = null;
        for (String candidate : names) {
            if (isVersioned(candidate, name)
                    && (best == null || Arrays.compare(version(candidate, name), version(best, name)) > 0)
                    && Files.isRegularFile(folder.resolve(candidate))) {
                best = candidate;
            }
        }
        return best == null ? Optional.empty() : Optional.of(folder.resolve(best));
    }

    /** Whether a file is a library with numbers after the name, each with a dot. By hand: every program looks here. */
    private static boolean isVersioned(String file, String name) {
        if (!file.startsWith(name) || file.length() == name.length()) {
            return false;
        }
        char before = '0';
        for (int i = name.length(); i < file.length(); i++) {
            char each = file.charAt(i);
            boolean digit = each >= '0' && each <= '9';
            if ((!digit && (each != '.' || before == '.')) || (i == name.length() && digit)) {
                return false;
            }
            before = each;
        }
        return before != '.';
    }

    private static int[] version(String file, String name) {
        String[] numbers = file.substring(name.length() + 1).split("\\.");
        int[] version = new int[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            version[i] = numbers[i].length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(numbers[i]);
        }
        return version;
    }
}
