package io.github.comch4j.reliability;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** {@code kill(2)}, at once: starting a program for it would take too long to hit the moment. */
@SuppressWarnings("restricted")
final class Signals {
    static final int KILL = 9;
    static final int CONTINUE = 18;
    static final int STOP = 19;

    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("kill").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Signals() {}

    static void send(long pid, int signal) {
        try {
            int ignored = (int) CALL.invokeExact((int) pid, signal); // it may have ended meanwhile
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
