package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.internal.observe.Log;
import java.nio.file.Path;

/**
 * A library beside those in use that is loaded once, before the first call of it, so that programs that do without it
 * neither wait for it nor need it.
 */
public final class LateLibrary {
    /** {@code libdoca_dpa}. */
    public static final LateLibrary DPA = new LateLibrary("libdoca_dpa.so", "doca_dpa_create");
    /** {@code libdoca_dma}. */
    public static final LateLibrary DMA = new LateLibrary("libdoca_dma.so", "doca_dma_create");

    private final String file;
    private final String function; // which it has
    private boolean attempted; // guarded by this, as the following
    private boolean found;

    private LateLibrary(String file, String function) {
        this.file = file;
        this.function = function;
    }

    /** Loads it unless done; whether the libraries in use have it. */
    public boolean load() {
        NativeLibrary.load();
        return found();
    }

    /** The same for initialisers: false if there are no libraries. */
    public synchronized boolean found() {
        if (!attempted) {
            attempted = true;
            found = attempt();
        }
        return found;
    }

    /** Fails unless the libraries in use have it. */
    public void check() {
        if (!load()) {
            throw Symbols.missing(function);
        }
    }

    /** The one attempt of this process. */
    private boolean attempt() {
        if (!NativeLibrary.isUsable()) {
            return false;
        }
        LibraryInfo info = NativeLibrary.info();
        if (info.kind() == LibraryInfo.Kind.EMULATED) {
            EmulatedLibraries.loadMore(Platform.current(), file);
        } else {
            LibraryLocator.find(Path.of(info.location()), file).ifPresent(LateLibrary::load);
        }
        return Symbols.find(function).isPresent();
    }

    /** One without which all else works. */
    @SuppressWarnings("restricted")
    static void load(Path library) {
        try {
            System.load(library.toString());
        } catch (UnsatisfiedLinkError e) {
            Log.logger().log(System.Logger.Level.WARNING, "cannot load {0}: {1}", library, e.getMessage());
        }
    }
}
