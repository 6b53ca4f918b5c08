package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The emulator's own functions ({@code doca_emu.h}); the SDK does not have them, so they are not among the generated
 * bindings.
 */
public final class EmulatorCalls {
    private static final String SET_FAULTS_NAME = "doca_emu_set_faults";
    private static final MethodHandle SET_FAULTS =
            Symbols.downcall(SET_FAULTS_NAME, FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final String SET_FAULTS_OF_NAME = "doca_emu_set_faults_of";
    private static final String LIST_NAME = "doca_emu_devinfo_create_list";

    private EmulatorCalls() {}

    /** Whether the loaded libraries are an emulation that can have faults. */
    public static boolean present() {
        NativeLibrary.load();
        return SymbolLookup.loaderLookup().find(SET_FAULTS_NAME).isPresent();
    }

    /** Handles of the functions that tests alone call. */
    private static final class OfMachines {
        static final MethodHandle SET_FAULTS =
                Symbols.downcall(SET_FAULTS_OF_NAME, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        static final MethodHandle LIST =
                Symbols.downcall(LIST_NAME, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

        private OfMachines() {}
    }

    /** Whether the loaded libraries are an emulation of several machines in one process. */
    public static boolean hasMachines() {
        NativeLibrary.load();
        return SymbolLookup.loaderLookup().find(LIST_NAME).isPresent();
    }

    /** {@code doca_emu_devinfo_create_list}. */
    static NativeList list(ChosenFabric chosen) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment folder = arena.allocateFrom(chosen.folder());
            MemorySegment side = arena.allocateFrom(chosen.side());
            return NativeList.create(
                    "listing the devices of the fabric " + chosen.folder(),
                    true,
                    (list, count) -> create(folder, side, list, count),
                    DeviceCalls::destroyList);
        }
    }

    private static DocaAnswer create(
            MemorySegment folder, MemorySegment side, MemorySegment list, MemorySegment count) {
        try {
            return new DocaAnswer(LIST_NAME, (int) OfMachines.LIST.invokeExact(folder, side, list, count));
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    private static int setFaults(MemorySegment specification, Arena arena) {
        ChosenFabric chosen = ChosenFabric.current();
        try {
            return chosen == null
                    ? (int) SET_FAULTS.invokeExact(specification)
                    : (int) OfMachines.SET_FAULTS.invokeExact(arena.allocateFrom(chosen.folder()), specification);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_emu_set_faults}, or {@code _of} the machine that the thread has chosen. */
    public static void setFaults(String specification) {
        if (!present()) {
            throw new UnsupportedOperationException(
                    NativeLibrary.describe() + " are not the emulated BlueField, so they have no faults to inject");
        }
        int code;
        try (Arena arena = Arena.ofConfined()) {
            code = setFaults(arena.allocateFrom(specification), arena);
        }
        if (code != Calls.SUCCESS) {
            throw new IllegalArgumentException(
                    "the emulated BlueField refuses the faults \"" + specification + "\": " + DocaError.of(code));
        }
    }
}
