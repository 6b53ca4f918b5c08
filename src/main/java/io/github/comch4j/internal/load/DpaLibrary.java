package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.internal.observe.Log;
import java.nio.file.Path;

/**
 * {@code libdoca_dpa}, beside the libraries in use: loaded once, before the first call of it, so that programs without
 * a DPA neither wait for it nor need it.
 */
public final class DpaLibrary {
    private static final String CREATE = "doca_dpa_create";

    private DpaLibrary() {}

    /** Loads it unless done; whether the libraries in use have it. */
    public static boolean load() {
        NativeLibrary.load();
        return Loaded.FOUND;
    }

    /** The same for initialisers: false if there are no libraries. */
    public static boolean found() {
        return Loaded.FOUND;
    }

    /** Fails unless the libraries in use have it. */
    public static void check() {
        if (!load()) {
            throw Symbols.missing(CREATE);
        }
    }

    /** The one attempt of this process. */
    private static final class Loaded {
        static final boolean FOUND = attempt();

        private static boolean attempt() {
            if (!NativeLibrary.isUsable()) {
                return false;
            }
            LibraryInfo info = NativeLibrary.info();
            if (info.kind() == LibraryInfo.Kind.EMULATED) {
                EmulatedLibraries.loadMore(Platform.current(), LibraryLocator.DPA);
            } else {
                LibraryLocator.find(Path.of(info.location()), LibraryLocator.DPA)
                        .ifPresent(Loaded::attempt);
            }
            return Symbols.find(CREATE).isPresent();
        }

        @SuppressWarnings("restricted")
        private static void attempt(Path library) {
            try {
                System.load(library.toString());
            } catch (UnsatisfiedLinkError e) {
                Log.logger().log(System.Logger.Level.WARNING, "cannot load {0}: {1}", library, e.getMessage());
            }
        }
    }
}
