package io.github.comch4j.internal;

import io.github.comch4j.Doca;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.NativeLibraryException.Reason;
import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The loaded libraries: chosen and loaded once, before the first native call.
 *
 * <p>They are loaded by this class's loader, which is also that of the generated bindings, so that both find their symbols.
 */
public final class NativeLibrary {
    private static final String LIBRARY_VARIABLE = "COMCH4J_LIBRARY";

    private static final String FLAG = "--enable-native-access=ALL-UNNAMED, or =io.github.comch4j on the module path";

    private static volatile boolean loaded;

    private NativeLibrary() {
    }

    /**
     * Loads the libraries unless done. To be called by what a program may call first: where there are none, or native calls are forbidden, the initialisation of
     * another class of this library would fail with an error that says less.
     */
    public static void load() {
        info();
    }

    /** The libraries in use. */
    public static LibraryInfo info() {
        if (Loaded.FAILURE != null) {
            throw copyOf(Loaded.FAILURE);
        }
        return Loaded.INFO;
    }

    /** The libraries in a few words, for messages. */
    static String describe() {
        LibraryInfo info = info();
        return switch (info.kind()) {
            case EMULATED -> "the emulated BlueField's libraries (" + info.version() + ")";
            case SYSTEM, FOLDER -> "the DOCA libraries in " + info.location() + " (version " + info.version() + ")";
        };
    }

    /** What the emulated BlueField has to say about what failed last in this thread; empty where it, or a real one, has nothing to say. */
    @SuppressWarnings("restricted")
    public static String lastError() {
        if (!loaded || LastError.CALL == null) {
            return "";
        }
        try {
            return ((MemorySegment) LastError.CALL.invokeExact()).reinterpret(Long.MAX_VALUE).getString(0);
        } catch (Throwable e) {
            throw Symbols.unexpected(e);
        }
    }

    /** Made at its first use: most processes have nothing to log, and do not wait for a logger at their start. */
    static System.Logger logger() {
        return Log.LOGGER;
    }

    private static final class Log {
        static final System.Logger LOGGER = System.getLogger("io.github.comch4j");
    }

    /** Each caller gets a stack trace of its own. */
    private static NativeLibraryException copyOf(NativeLibraryException failure) {
        return new NativeLibraryException(failure.reason(), failure.getMessage(), failure);
    }

    @SuppressWarnings("restricted")
    static void loadPair(LibraryLocator.Pair pair) {
        System.load(pair.common().toString()); // first: the other one is linked against it
        System.load(pair.comch().toString());
    }

    /** {@code doca_emu_last_error}, linked when something fails; null with libraries that are not the emulated ones. */
    private static final class LastError {
        static final MethodHandle CALL = SymbolLookup.loaderLookup().find("doca_emu_last_error")
                .map(symbol -> Symbols.downcall(symbol, FunctionDescriptor.of(ValueLayout.ADDRESS))).orElse(null);
    }

    /** The one attempt of this process. */
    private static final class Loaded {
        static final LibraryInfo INFO;
        static final NativeLibraryException FAILURE;

        static {
            LibraryInfo info = null;
            NativeLibraryException failure = null;
            try {
                checkNativeAccess();
                info = attempt();
            } catch (NativeLibraryException e) {
                failure = e;
                Events.noLibrary(e.getMessage());
            }
            INFO = info;
            FAILURE = failure;
        }

        /** By a restricted call that does nothing: loading and linking would fail in the same way, but in the midst of some class's initialisation. */
        @SuppressWarnings("restricted")
        private static void checkNativeAccess() {
            try {
                MemorySegment.NULL.reinterpret(0);
            } catch (IllegalCallerException e) {
                throw new NativeLibraryException(Reason.NOT_LOADED, "the JVM forbids native calls (" + e.getMessage() + "); run it with " + FLAG, e);
            }
        }

        @SuppressWarnings("restricted")
        private static LibraryInfo attempt() {
            Platform platform = Platform.current();
            String property = System.getProperty(Doca.LIBRARY_PROPERTY, "").strip();
            String variable = System.getenv().getOrDefault(LIBRARY_VARIABLE, "").strip();
            String source = !property.isEmpty() ? "system property " + Doca.LIBRARY_PROPERTY : "environment variable " + LIBRARY_VARIABLE;
            String setting = !property.isEmpty() ? property : variable.isEmpty() ? "auto" : variable;
            LibraryLocator.Choice choice = LibraryLocator.forSystem(platform.arch(), System.getenv()).choose(setting, source);
            choice.warning().ifPresent(warning -> logger().log(System.Logger.Level.WARNING, "using the emulated BlueField, because {0}", warning));
            String location;
            if (choice.files().isPresent()) {
                LibraryLocator.Pair files = choice.files().get();
                try {
                    loadPair(files);
                } catch (UnsatisfiedLinkError e) {
                    throw new NativeLibraryException(Reason.NOT_LOADED, "cannot load the DOCA libraries in " + files.folder() + " ("
                            + e.getMessage() + "); set " + Doca.LIBRARY_PROPERTY + "=emulated to run without them", e);
                }
                location = files.folder().toString();
            } else {
                location = EmulatedLibraries.load(platform);
            }
            loaded = true;
            LibraryInfo info = new LibraryInfo(choice.kind(), location, runtimeVersion(), choice.reason());
            Events.library(info);
            if (setting.equals("auto")) { // what was asked for is no news
                logger().log(System.Logger.Level.INFO, "using {0}, version {1}, because {2}",
                        info.kind() == LibraryInfo.Kind.EMULATED ? "the emulated BlueField" : "DOCA in " + info.location(), info.version(), info.reason());
            }
            return info;
        }

        @SuppressWarnings("restricted")
        private static String runtimeVersion() {
            try {
                MemorySegment text = doca_h.doca_version_runtime();
                return text.equals(MemorySegment.NULL) ? "unknown" : text.reinterpret(Long.MAX_VALUE).getString(0);
            } catch (LinkageError e) {
                return "unknown"; // an experimental function: a release may lack it
            }
        }
    }
}
