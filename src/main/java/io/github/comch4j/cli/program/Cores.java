package io.github.comch4j.cli.program;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLongArray;

/** The processors on which threads run that are measured: binds threads to them, and tells how far they are apart. */
public final class Cores {
    private static final int BYTES = 128; // of a cpu_set_t
    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle GET = Symbols.standard("sched_getaffinity", AFFINITY);
    private static final MethodHandle SET = Symbols.standard("sched_setaffinity", AFFINITY);

    private static final int TURNS = 1000; // there and back, between looks at the clock
    private static final int THERE = 16; // in cache lines of their own
    private static final int BACK = 48;
    private static final int WORDS = 64;

    private Cores() {}

    /** Those that the calling thread may use. */
    public static int[] usable() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            if ((int) GET.invokeExact(0, (long) BYTES, set.address()) < 0) {
                return new int[0];
            }
            int[] found = new int[BYTES * Byte.SIZE];
            int known = 0;
            for (int cpu = 0; cpu < found.length; cpu++) {
                if ((set.get(JAVA_BYTE, cpu / Byte.SIZE) >> cpu % Byte.SIZE & 1) != 0) {
                    found[known++] = cpu;
                }
            }
            return Arrays.copyOf(found, known);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** Binds the calling thread to one of those that it may use, if there are two or more; they count round. */
    public static void bind(int number) {
        int[] usable = usable();
        if (usable.length > 1) {
            bindTo(usable[number % usable.length]);
        }
    }

    private static void bindTo(int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(BYTES, Long.BYTES);
            set.set(JAVA_BYTE, cpu / Byte.SIZE, (byte) (1 << cpu % Byte.SIZE));
            if ((int) SET.invokeExact(0, (long) BYTES, set.address()) < 0) {
                throw new IllegalStateException("cannot bind to processor " + cpu);
            }
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /**
     * How long a word takes from one processor to another and one back, ns: all that passes between two threads depends
     * on it, and on a virtual machine it may be another distance after a while.
     *
     * @param nanos how long to measure
     * @return empty if there is one processor
     */
    public static OptionalDouble distance(long nanos) throws InterruptedException {
        if (usable().length < 2) {
            return OptionalDouble.empty();
        }
        AtomicLongArray words = new AtomicLongArray(WORDS);
        Thread answering = new Thread(() -> answer(words), "cores-answer");
        double[] found = new double[1];
        Thread asking = new Thread(() -> found[0] = ask(words, nanos), "cores-ask");
        answering.start();
        asking.start();
        asking.join();
        words.setRelease(THERE, -1);
        answering.join();
        return OptionalDouble.of(found[0]);
    }

    private static void answer(AtomicLongArray words) {
        bind(0);
        Spin spin = new Spin();
        long seen = 0;
        while (seen >= 0) {
            long now = words.getAcquire(THERE);
            spin.turned(now != seen);
            if (now != seen) {
                seen = now;
                words.setRelease(BACK, seen);
            }
        }
    }

    private static double ask(AtomicLongArray words, long nanos) {
        bind(1);
        Spin spin = new Spin();
        double[] blocks = new double[(int) (nanos / (TURNS * 10L)) + 1];
        int known = 0;
        long sent = 0;
        long before = System.nanoTime();
        long end = before + nanos;
        while (before - end < 0 && known < blocks.length) {
            for (int i = 0; i < TURNS; i++) {
                words.setRelease(THERE, ++sent);
                while (words.getAcquire(BACK) != sent) {
                    spin.turned(false);
                }
                spin.turned(true);
            }
            long after = System.nanoTime();
            blocks[known++] = (double) (after - before) / TURNS;
            before = after;
        }
        double[] sorted = Arrays.copyOf(blocks, known);
        Arrays.sort(sorted);
        return sorted[known / 2];
    }
}
