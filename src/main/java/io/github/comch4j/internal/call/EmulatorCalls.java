package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
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

    private EmulatorCalls() {}

    /** Whether the loaded libraries are an emulation that can have faults. */
    public static boolean present() {
        NativeLibrary.load();
        return SymbolLookup.loaderLookup().find(SET_FAULTS_NAME).isPresent();
    }

    /** {@code doca_emu_set_faults}. */
    public static void setFaults(String specification) {
        if (!present()) {
            throw new UnsupportedOperationException(
                    NativeLibrary.describe() + " are no emulation, so they cannot fail on demand");
        }
        int code;
        try (Arena arena = Arena.ofConfined()) {
            code = (int) SET_FAULTS.invokeExact(arena.allocateFrom(specification));
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
        if (code != Calls.SUCCESS) {
            throw new IllegalArgumentException(
                    "the emulated BlueField refuses the faults \"" + specification + "\": " + DocaError.of(code));
        }
    }
}
