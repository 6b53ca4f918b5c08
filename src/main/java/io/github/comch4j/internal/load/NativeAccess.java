package io.github.comch4j.internal.load;

import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.MemorySegment;

/**
 * What initialisers, the generated ones too, ask of the JVM's restricted methods. Where it forbids native calls they
 * get something that does nothing, as what left them would be lost: the exception with the reason is that of
 * {@link NativeLibrary#load()}.
 */
public final class NativeAccess {
    private static final String FLAG = "--enable-native-access=ALL-UNNAMED, or =io.github.comch4j on the module path";

    private NativeAccess() {}

    /** Throws if the JVM forbids native calls. By a restricted call that does nothing. */
    @SuppressWarnings("restricted")
    static void check() {
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            throw Failures.unusable("the JVM forbids native calls (" + e.getMessage() + "); run it with " + FLAG, e);
        }
    }

    private static boolean isAllowed() {
        try {
            check();
            return true;
        } catch (NativeLibraryException e) {
            return false;
        }
    }

    /** The memory of this process; empty where native calls are forbidden. */
    @SuppressWarnings("restricted")
    public static MemorySegment allMemory() {
        return isAllowed() ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : MemorySegment.NULL;
    }
}
