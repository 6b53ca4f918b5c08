package io.github.comch4j.internal.load;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * Makes the handles of downcalls, those in the bindings too, and the upcall stubs. Nothing else links a function, and
 * nothing links one but to initialise a static field: from these fields, and from the bindings, the metadata for native
 * images are made.
 *
 * <p>A function that the loaded libraries lack does not disturb the class that declares its handle: the handle throws
 * when it is called. So it is with all of them if there are no libraries: what left an initialiser would be lost.
 */
public final class Symbols {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle THROW_MISSING = throwMissing();

    private Symbols() {}

    /** A downcall handle with exactly the descriptor's types, for {@code static final} fields. */
    @SuppressWarnings("restricted")
    public static MethodHandle downcall(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Optional<MemorySegment> symbol = NativeLibrary.isUsable() ? find(name) : Optional.empty();
        return symbol.map(address -> LINKER.downcallHandle(address, descriptor, options))
                .orElseGet(() -> thrower(name, descriptor));
    }

    private static MethodHandle thrower(String name, FunctionDescriptor descriptor) {
        MethodType type = descriptor.toMethodType();
        MethodHandle thrower = THROW_MISSING.bindTo(name).asType(MethodType.methodType(type.returnType()));
        return MethodHandles.dropArguments(thrower, 0, type.parameterList());
    }

    /**
     * A function of the loaded libraries, by today's name or the one that it had in an older release. The generated
     * bindings find theirs here too.
     */
    public static Optional<MemorySegment> find(String name) {
        SymbolLookup libraries = SymbolLookup.loaderLookup();
        return libraries.find(name).or(() -> libraries.find(formerName(name)));
    }

    /** Whether the loaded libraries have a function, by whichever name. */
    public static boolean has(String name) {
        return find(name).isPresent();
    }

    /** The name by which the loaded libraries have a function; today's if they have it by none. */
    public static String nameOf(String name) {
        return SymbolLookup.loaderLookup().find(name).isPresent() ? name : formerName(name);
    }

    private static String formerName(String name) {
        if (!Releases.isComch(name) || !NativeLibrary.isUsable()) {
            return name;
        }
        SymbolLookup libraries = SymbolLookup.loaderLookup();
        return Releases.formerName(name, NativeLibrary.info().generation())
                .filter(former -> libraries.find(former).isPresent())
                .orElse(name);
    }

    /** A downcall handle of a function at an address. */
    @SuppressWarnings("restricted")
    public static MethodHandle downcall(MemorySegment function, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(function, descriptor);
    }

    /** A downcall handle of a function of the C library. */
    @SuppressWarnings("restricted")
    public static MethodHandle standard(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return NativeLibrary.isUsable()
                ? LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor, options)
                : thrower(name, descriptor);
    }

    /** A stub for the life of an arena. {@code target} must not throw. */
    @SuppressWarnings("restricted")
    public static MemorySegment upcall(MethodHandle target, FunctionDescriptor descriptor, Arena arena) {
        return LINKER.upcallStub(target, descriptor, arena);
    }

    /** What a downcall handle threw. It declares {@link Throwable}, but can only throw what is unchecked. */
    public static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        throw new AssertionError("a downcall threw a checked exception", thrown);
    }

    /** The exception for a function that the loaded libraries lack; throws if there are none. */
    public static MissingFunctionException missing(String function) {
        return Failures.missing(
                function,
                NativeLibrary.describe() + " lack the function " + function + ", which " + Releases.having(function));
    }

    @SuppressWarnings("unused") // found by its name below
    private static void raiseMissing(String function) {
        throw missing(function);
    }

    private static MethodHandle throwMissing() {
        try {
            return MethodHandles.lookup()
                    .findStatic(Symbols.class, "raiseMissing", MethodType.methodType(void.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
