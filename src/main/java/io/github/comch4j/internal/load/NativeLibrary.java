package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The loaded libraries: chosen and loaded once, before the first native call.
 *
 * <p>They are loaded by this class's loader, which is also that of the generated bindings, so that both find their
 * symbols.
 */
public final class NativeLibrary {
    private static final String LAST_ERROR = "doca_emu_last_error"; // of emulated libraries alone, as the next one
    private static final String REFUSED_FOR_GOOD = "doca_emu_refused_for_good";
    private static final String VERSION = "doca_version_runtime"; // experimental: a release may lack it

    private NativeLibrary() {}

    /**
     * Loads the libraries unless done. To be called by what a program may call first: where there are none, or native
     * calls are forbidden, the initialisation of another class of this library would fail with an error that says less.
     */
    public static void load() {
        info();
    }

    /** Whether there are libraries, and native calls are allowed; for initialisers. Loads them unless done. */
    public static boolean isUsable() {
        return Loaded.FAILURE == null;
    }

    /** The libraries in use. */
    public static LibraryInfo info() {
        Throwable failure = Loaded.FAILURE;
        if (failure != null) {
            throw again(failure);
        }
        return Loaded.INFO;
    }

    /**
     * Whether they have Comch as DOCA 2.5 has it: with other types. That of 2.6 is today's under older names, which
     * {@link Symbols} knows. False if there are none.
     */
    public static boolean isCc25() {
        return isUsable() && info().generation() == Generation.CC_2_5;
    }

    /** Which Comch they have, in a few words. */
    public static String generation() {
        return Generations.describe(info().generation());
    }

    /** The libraries in a few words, for messages. */
    public static String describe() {
        LibraryInfo info = info();
        return switch (info.kind()) {
            case EMULATED -> "the emulated BlueField's libraries (" + info.version() + ")";
            case SYSTEM, FOLDER -> "the DOCA libraries in " + info.location() + " (version " + info.version() + ")";
        };
    }

    /** What the emulated BlueField has to say about what failed last. */
    private static final class Emulated implements Diagnosis.Source {
        @Override
        public String lastError() {
            return text(LAST_ERROR);
        }

        @Override
        public boolean refusedForGood() {
            return Symbols.has(REFUSED_FOR_GOOD) && (byte) call(REFUSED_FOR_GOOD) != 0;
        }
    }

    /** A function without arguments, below the bindings. */
    private static long call(String function) {
        return Symbols.call(Symbols.find(function).orElseThrow(), 0, 0, 0);
    }

    @SuppressWarnings("restricted")
    private static String text(String function) {
        MemorySegment text = MemorySegment.ofAddress(call(function));
        return text.address() == 0
                ? "unknown"
                : text.reinterpret(Long.MAX_VALUE).getString(0);
    }

    /** Each caller gets a stack trace of its own, and the first cause. */
    private static NativeLibraryException again(Throwable failure) {
        return failure instanceof NativeLibraryException known
                ? Failures.unusable(known.getMessage(), known)
                : Failures.unusable("cannot use the DOCA libraries: " + failure, failure);
    }

    /** Returns which generation of Comch they are. */
    @SuppressWarnings("restricted")
    static Generation loadPair(LibraryLocator.Pair pair) {
        System.load(pair.common().toString()); // first: the other one is linked against it
        System.load(pair.comch().toString());
        Optional<Generation> generation = Generations.of(SymbolLookup.loaderLookup());
        if (generation.isEmpty()) {
            throw Generations.unknown(pair.comch());
        }
        Optional<Path> channel = pair.channel();
        if (channel.isPresent()) {
            LateLibrary.load(channel.get());
        }
        return generation.get();
    }

    /** The one attempt of this process. */
    private static final class Loaded {
        static final LibraryInfo INFO;
        static final Throwable FAILURE;

        // What leaves an initialiser is lost: later uses of the class fail with an error that does not tell why.
        static {
            LibraryInfo info = null;
            Throwable failure = null;
            try {
                LibrarySettings.check();
                NativeAccess.check(); // loading and linking would fail in the midst of some class's initialisation
                info = attempt();
            } catch (Throwable e) {
                failure = e;
                tell(e);
            }
            INFO = info;
            FAILURE = failure;
        }

        private static void tell(Throwable failure) {
            try {
                Events.noLibrary(String.valueOf(failure.getMessage()));
            } catch (Throwable e) {
                failure.addSuppressed(e);
            }
        }

        @SuppressWarnings("restricted")
        private static LibraryInfo attempt() {
            Platform platform = Platform.current();
            String wanted = LibrarySettings.library();
            String setting = wanted.isEmpty() ? "auto" : wanted;
            LibraryLocator.Choice choice = LibraryLocator.forSystem(platform.arch(), System.getenv())
                    .choose(setting, LibrarySettings.librarySource());
            String location;
            Generation generation = Generation.COMCH;
            if (choice.files().isPresent()) {
                LibraryLocator.Pair files = choice.files().get();
                try {
                    generation = loadPair(files);
                } catch (UnsatisfiedLinkError e) {
                    throw notLoaded(files.folder(), e);
                }
                location = files.folder().toString();
            } else {
                location = EmulatedLibraries.load(platform);
            }
            if (Symbols.has(LAST_ERROR)) {
                Diagnosis.from(new Emulated());
            }
            LibraryInfo info = new LibraryInfo(choice.kind(), location, runtimeVersion(), choice.reason(), generation);
            Events.library(info.kind().name(), info.location(), info.version(), info.reason());
            if (setting.equals("auto")) { // a library that the user has named is not worth a line
                tell(info, choice.warning().orElse(info.reason()));
            }
            return info;
        }

        /** On a card's host, a service on the emulated device talks to nobody: that must not pass unnoticed. */
        private static void tell(LibraryInfo info, String reason) {
            String version = ", version " + info.version() + " (" + Generations.describe(info.generation()) + ")";
            if (info.kind() == LibraryInfo.Kind.EMULATED) {
                Log.later(
                        System.Logger.Level.WARNING,
                        "using the emulated BlueField" + version + ", because " + reason
                                + ": this process does not use a card; set " + LibrarySettings.LIBRARY_PROPERTY
                                + "=system to fail without the DOCA SDK, or " + LibrarySettings.LIBRARY_PROPERTY
                                + "=emulated to use the emulation without this warning");
            } else {
                Log.later(
                        System.Logger.Level.INFO, "using DOCA in " + info.location() + version + ", because " + reason);
            }
        }

        private static NativeLibraryException notLoaded(Path folder, UnsatisfiedLinkError e) {
            String said = String.valueOf(e.getMessage());
            return Failures.unusable(
                    "cannot load the DOCA libraries in " + folder + " (" + said + "); "
                            + (said.contains("another classloader")
                                    ? "a JVM loads a native library for only one class loader: put this jar into a"
                                            + " folder that all applications share, such as the container's library"
                                            + " folder, not into each application; if the other class loader belongs to"
                                            + " an application that was replaced, restart the JVM"
                                    : "set " + LibrarySettings.LIBRARY_PROPERTY + "=emulated to run without them"),
                    e);
        }

        private static String runtimeVersion() {
            return Symbols.has(VERSION) ? text(VERSION) : "unknown";
        }
    }
}
