package io.github.comch4j.dpa;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A function on the DPA ({@code doca_dpa_func_t}): a kernel, or a function that the host calls. There are three ways to
 * get one: from an application ({@link DpaApplication#function}), from code in Java
 * ({@link io.github.comch4j.emulator.JavaKernels}), or from a symbol that the program has found itself.
 */
public final class DpaFunction {
    private final String name;
    private final MemorySegment address;

    private final @Nullable Arena arena; // of a function in Java, which ends with its DPA

    private DpaFunction(String name, MemorySegment address, @Nullable Arena arena) {
        this.name = name;
        this.address = address;
        this.arena = arena;
    }

    static DpaFunction inJava(String name, Function<Arena, MemorySegment> stub, Arena arena) {
        return new DpaFunction(name, stub.apply(arena), arena);
    }

    /**
     * Creates a function from its symbol in the host program, which DPACC has built.
     *
     * @param name its name, for messages
     * @param address the symbol; must stay valid as long as the function is used
     * @return the function
     * @throws IllegalArgumentException if the address is NULL or that of memory on the heap
     */
    public static DpaFunction of(String name, MemorySegment address) {
        Objects.requireNonNull(name);
        if (!address.isNative() || address.address() == 0) {
            throw new IllegalArgumentException(name + " has no native address");
        }
        return new DpaFunction(name, address, null);
    }

    /**
     * Returns the function's name.
     *
     * @return the name given at creation
     */
    public String name() {
        return name;
    }

    /**
     * Returns the function's symbol in the host program.
     *
     * @return an address that is not NULL
     */
    public MemorySegment address() {
        return address;
    }

    /** Its address for a DPA; fails if it is in Java and of another one, with which it ends. */
    MemorySegment addressFor(Dpa dpa) {
        if (arena != null && arena != dpa.functions()) {
            throw new IllegalArgumentException(name + " belongs to another DPA than " + dpa);
        }
        return address;
    }

    /**
     * Returns a description of this function, for logs.
     *
     * @return its name
     */
    @Override
    public String toString() {
        return name;
    }
}
