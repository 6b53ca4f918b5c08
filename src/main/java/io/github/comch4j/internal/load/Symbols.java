package io.github.comch4j.internal.load;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * Finds functions, and makes the handles of those that are not called by the generated bindings, and the upcall stubs.
 * Nothing else links a function, and nothing links one but to initialise a static field: from these fields, and from
 * the bindings, the metadata for native images are made.
 *
 * <p>Functions of the C library, and what is asked of DOCA while it is loaded, are called by one handle for all,
 * {@link #call}: the JVM takes some milliseconds for each shape, and a program's first message waits for all of them.
 *
 * <p>A function that the loaded libraries lack does not disturb the class that declares its handle: the handle throws
 * when it is called. So it is with all of them if there are no libraries: what left an initialiser would be lost.
 */
public final class Symbols {
    private static final Linker LINKER = Linker.nativeLinker();

    private Symbols() {}

    /**
     * The handle of whatever takes up to six integers or pointers, and returns one or nothing. By the conventions of
     * both processors such arguments go into the same registers, whatever their sizes; a function does not look at
     * those that it does not take, nor at more of one than its size.
     */
    private static final class Any {
        static final MethodHandle CALL = link();

        private Any() {}

        @SuppressWarnings("restricted")
        private static MethodHandle link() {
            ValueLayout.OfLong any = ValueLayout.JAVA_LONG;
            return NativeLibrary.isUsable()
                    ? LINKER.downcallHandle(FunctionDescriptor.of(any, any, any, any, any, any, any))
                    : null; // nothing is called then
        }
    }

    /** Calls a function below the bindings, with arguments that are each widened. Allocates nothing. */
    public static long call(
            MemorySegment function, long first, long second, long third, long fourth, long fifth, long sixth) {
        try {
            return (long) Any.CALL.invokeExact(function, first, second, third, fourth, fifth, sixth);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** The same with up to three arguments. */
    public static long call(MemorySegment function, long first, long second, long third) {
        return call(function, first, second, third, 0, 0, 0);
    }

    /** A pointer, as an argument of a call; its memory has to be there as long as the call lasts. */
    public static long address(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException(
                    "a native call needs native memory, not a segment on the Java heap: " + memory);
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of this segment is closed: " + memory);
        }
        return memory.address();
    }

    /** A function of the C library; {@code NULL} if there are no libraries of DOCA. */
    public static MemorySegment standardFunction(String name) {
        return NativeLibrary.isUsable() ? LINKER.defaultLookup().find(name).orElseThrow() : MemorySegment.NULL;
    }

    /** A downcall handle with exactly the descriptor's types, for {@code static final} fields. */
    @SuppressWarnings("restricted")
    public static MethodHandle downcall(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment function = NativeLibrary.isUsable() ? findOrNull(name) : null;
        return function == null ? thrower(name, descriptor) : LINKER.downcallHandle(function, descriptor, options);
    }

    private static MethodHandle thrower(String name, FunctionDescriptor descriptor) {
        MethodType type = descriptor.toMethodType();
        MethodHandle thrower = throwMissing().bindTo(name).asType(MethodType.methodType(type.returnType()));
        return MethodHandles.dropArguments(thrower, 0, type.parameterList());
    }

    /**
     * A function of the loaded libraries, by today's name or the one that it had in an older release. The generated
     * bindings find theirs here too.
     */
    public static Optional<MemorySegment> find(String name) {
        return Optional.ofNullable(findOrNull(name));
    }

    private static MemorySegment findOrNull(String name) {
        SymbolLookup libraries = SymbolLookup.loaderLookup();
        MemorySegment function = libraries.find(name).orElse(null);
        return function == null ? libraries.find(formerName(name)).orElse(null) : function;
    }

    /** Whether the loaded libraries have a function, by whichever name. */
    public static boolean has(String name) {
        return findOrNull(name) != null;
    }

    /** The name by which the loaded libraries have a function; today's if they have it by none. */
    public static String nameOf(String name) {
        return SymbolLookup.loaderLookup().find(name).isPresent() ? name : formerName(name);
    }

    private static String formerName(String name) {
        if (!Releases.isComch(name) || !NativeLibrary.isUsable()) {
            return name;
        }
        String former =
                Releases.formerName(name, NativeLibrary.info().generation()).orElse(name);
        return SymbolLookup.loaderLookup().find(former).isPresent() ? former : name;
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
