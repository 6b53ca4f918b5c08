package io.github.comch4j.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/** Where the bindings find functions: in the libraries that are loaded, unless they are told to look elsewhere. */
public final class Lookup {
    private static final Lookup ONLY = new Lookup();

    private volatile SymbolLookup functions = SymbolLookup.loaderLookup();

    private Lookup() {}

    /** That of all bindings. */
    public static Lookup get() {
        return ONLY;
    }

    /** For functions that are called the first time from here on. */
    public static void set(SymbolLookup functions) {
        ONLY.functions = functions;
    }

    /** For the initialisers of bindings; what it throws makes the function unusable for good. */
    public MemorySegment findOrThrow(String function) {
        Optional<MemorySegment> found = functions.find(function);
        if (found.isEmpty()) {
            throw new UnsatisfiedLinkError("unresolved symbol: " + function);
        }
        return found.get();
    }
}
