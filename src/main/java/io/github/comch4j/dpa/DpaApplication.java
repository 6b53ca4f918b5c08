package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program for the DPA ({@code doca_dpa_app}). It is in a shared library that DPACC or its stand-in
 * {@code scripts/dpacc} has built, with the application and its functions as symbols.
 *
 * <p>The library stays loaded until the process ends. Immutable.
 */
public final class DpaApplication {
    private final String name;
    private final Path library;
    private final SymbolLookup symbols;
    private final MemorySegment handle;

    private DpaApplication(String name, Path library, SymbolLookup symbols, MemorySegment handle) {
        this.name = name;
        this.library = library;
        this.symbols = symbols;
        this.handle = handle;
    }

    /**
     * Loads an application.
     *
     * @param library the shared library
     * @param name the application's name: DPACC's {@code --app-name}
     * @return the application
     * @throws io.github.comch4j.MissingFunctionException if the libraries in use have no DPA
     * @throws IllegalArgumentException if the library does not exist, or has no application of that name
     */
    @SuppressWarnings("restricted")
    public static DpaApplication load(Path library, String name) {
        DpaCalls.checkThere(); // whose functions its program needs
        if (!Files.isRegularFile(library)) {
            throw new IllegalArgumentException("there is no library " + library);
        }
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        MemorySegment handle = symbols.find(name)
                .map(variable ->
                        variable.reinterpret(ValueLayout.ADDRESS.byteSize()).get(ValueLayout.ADDRESS, 0))
                .filter(pointer -> pointer.address() != 0)
                .orElseThrow(() -> new IllegalArgumentException(library + " has no application " + name));
        return new DpaApplication(name, library, symbols, handle);
    }

    /**
     * Finds a function of the application.
     *
     * @param function its name in C
     * @return the function
     * @throws IllegalArgumentException if there is no function of that name
     */
    public DpaFunction function(String function) {
        return DpaFunction.of(
                function,
                symbols.find(function)
                        .orElseThrow(() -> new IllegalArgumentException(
                                this + " in " + library + " has no function " + function)));
    }

    /**
     * Returns the application's name.
     *
     * @return the name with which it was loaded
     */
    public String name() {
        return name;
    }

    /**
     * Returns the application's library.
     *
     * @return the file
     */
    public Path library() {
        return library;
    }

    /**
     * Returns a description of this application, for logs.
     *
     * @return "application" and its name
     */
    @Override
    public String toString() {
        return "application " + name;
    }

    MemorySegment handle() {
        return handle;
    }
}
