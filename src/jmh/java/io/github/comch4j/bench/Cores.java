package io.github.comch4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Binds the two sides to a processor each, as {@code src/jmh/c/main.c} does. */
final class Cores {
    private static final int BYTES = 128; // of a cpu_set_t
    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

    private Cores() {}

    /** The server's side: the calling thread. */
    static void bindServer() {
        bind(0);
    }

    /** The client's side: the calling thread. */
    static void bindClient() {
        bind(1);
    }

    /** To one of the processors that the calling thread may use, if there are two or more. */
    private static void bind(int wanted) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            if ((int) function("sched_getaffinity").invokeExact(0, (long) BYTES, set) != 0) {
                return;
            }
            int found = 0;
            for (int cpu = 0; cpu < BYTES * Byte.SIZE; cpu++) {
                if ((set.get(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE) >> cpu % Byte.SIZE & 1) != 0
                        && found++ == wanted) {
                    set.fill((byte) 0);
                    set.set(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE, (byte) (1 << cpu % Byte.SIZE));
                    if ((int) function("sched_setaffinity").invokeExact(0, (long) BYTES, set) != 0) {
                        throw new IllegalStateException("cannot bind to processor " + cpu);
                    }
                    return;
                }
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static MethodHandle function(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), AFFINITY);
    }
}
