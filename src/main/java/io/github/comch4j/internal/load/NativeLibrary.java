package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.NativeLibraryException.Reason;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The loaded libraries: chosen and loaded once, before the first native call.
 *
 * <p>They are loaded by this class's loader, which is also that of the generated bindings, so that both find their
 * symbols.
 */
public final class NativeLibrary {
    private static final String REFUSED_FOR_GOOD = "doca_emu_refused_for_good"; // of emulated libraries alone

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

    /** What the emulated BlueField has to say about what failed last in this thread. */
    @SuppressWarnings("restricted")
    private static String lastError() {
        try {
            return ((MemorySegment) LastError.CALL.invokeExact())
                    .reinterpret(Long.MAX_VALUE)
                    .getString(0);
        } catch (Throwable e) {
            throw Symbols.unexpected(e);
        }
    }

    /** Whether waiting does not change why this thread's last attempt to connect was refused. */
    private static boolean refusedForGood() {
        try {
            return (byte) RefusedForGood.CALL.invokeExact() != 0;
        } catch (Throwable e) {
            throw Symbols.unexpected(e);
        }
    }

    /** Each caller gets a stack trace of its own, and the first cause. */
    private static NativeLibraryException again(Throwable failure) {
        return failure instanceof NativeLibraryException known
                ? Failures.unusable(known.reason(), known.getMessage(), known)
                : Failures.unusable(Reason.NOT_LOADED, "cannot use the DOCA libraries: " + failure, failure);
    }

    /** Returns which generation of Comch they are. */
    @SuppressWarnings("restricted")
    static Generation loadPair(LibraryLocator.Pair pair) {
        System.load(pair.common().toString()); // first: the other one is linked against it
        System.load(pair.comch().toString());
        Generation generation =
                Generations.of(SymbolLookup.loaderLookup()).orElseThrow(() -> Generations.unknown(pair.comch()));
        pair.channel().ifPresent(NativeLibrary::loadChannel);
        return generation;
    }

    /** The endpoint API, without which all else works. */
    @SuppressWarnings("restricted")
    private static void loadChannel(Path library) {
        try {
            System.load(library.toString());
        } catch (UnsatisfiedLinkError e) {
            Log.logger().log(System.Logger.Level.WARNING, "cannot load {0}: {1}", library, e.getMessage());
        }
    }

    /** {@code doca_emu_last_error}, linked when something fails. */
    private static final class LastError {
        static final MethodHandle CALL =
                Symbols.downcall("doca_emu_last_error", FunctionDescriptor.of(ValueLayout.ADDRESS));
    }

    /** {@code doca_emu_refused_for_good}, linked when an attempt to connect fails. */
    private static final class RefusedForGood {
        static final MethodHandle CALL =
                Symbols.downcall(REFUSED_FOR_GOOD, FunctionDescriptor.of(ValueLayout.JAVA_BYTE));
    }

    /** {@code doca_version_runtime}, an experimental function: a release may lack it. */
    private static final class Version {
        static final MethodHandle CALL =
                Symbols.downcall("doca_version_runtime", FunctionDescriptor.of(ValueLayout.ADDRESS));
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
                Settings.check();
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
            String property = System.getProperty(Settings.LIBRARY_PROPERTY, "").strip();
            String variable =
                    System.getenv().getOrDefault(Settings.LIBRARY_VARIABLE, "").strip();
            String source = !property.isEmpty()
                    ? "system property " + Settings.LIBRARY_PROPERTY
                    : "environment variable " + Settings.LIBRARY_VARIABLE;
            String setting = !property.isEmpty() ? property : variable.isEmpty() ? "auto" : variable;
            LibraryLocator.Choice choice =
                    LibraryLocator.forSystem(platform.arch(), System.getenv()).choose(setting, source);
            choice.warning()
                    .ifPresent(warning -> Log.logger()
                            .log(System.Logger.Level.WARNING, "using the emulated BlueField, because {0}", warning));
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
            if (Symbols.find("doca_emu_last_error").isPresent()) {
                Diagnosis.from(NativeLibrary::lastError);
            }
            if (Symbols.find(REFUSED_FOR_GOOD).isPresent()) {
                Diagnosis.refusalsFrom(NativeLibrary::refusedForGood);
            }
            LibraryInfo info = new LibraryInfo(choice.kind(), location, runtimeVersion(), choice.reason(), generation);
            Events.library(info.kind().name(), info.location(), info.version(), info.reason());
            if (setting.equals("auto")) { // a library that the user has named is not worth a line
                Log.logger()
                        .log(
                                System.Logger.Level.INFO,
                                "using {0}, version {1} ({2}), because {3}",
                                info.kind() == LibraryInfo.Kind.EMULATED
                                        ? "the emulated BlueField"
                                        : "DOCA in " + info.location(),
                                info.version(),
                                Generations.describe(info.generation()),
                                info.reason());
            }
            return info;
        }

        private static NativeLibraryException notLoaded(Path folder, UnsatisfiedLinkError e) {
            String said = String.valueOf(e.getMessage());
            return Failures.unusable(
                    Reason.NOT_LOADED,
                    "cannot load the DOCA libraries in " + folder + " (" + said + "); "
                            + (said.contains("another classloader")
                                    ? "a JVM loads a library for one class loader alone: put this jar where all"
                                            + " applications share it, such as the container's folder for libraries,"
                                            + " and not into each of them, or restart the JVM if the other class loader"
                                            + " is that of an application that has been replaced"
                                    : "set " + Settings.LIBRARY_PROPERTY + "=emulated to run without them"),
                    e);
        }

        @SuppressWarnings("restricted")
        private static String runtimeVersion() {
            if (Symbols.find("doca_version_runtime").isEmpty()) {
                return "unknown";
            }
            try {
                MemorySegment text = (MemorySegment) Version.CALL.invokeExact();
                return text.equals(MemorySegment.NULL)
                        ? "unknown"
                        : text.reinterpret(Long.MAX_VALUE).getString(0);
            } catch (Throwable e) {
                throw Symbols.unexpected(e);
            }
        }
    }
}
