package io.github.comch4j.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.cli.program.Cores;
import io.github.comch4j.cli.program.Spin;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The least that a ping-pong can take in which each side calls into C once to send and once to receive: the same two
 * functions as in C ({@code src/jmh/c/lines.c}), which write and read two cache lines.
 */
final class LinesWorks {
    /** The library with the two functions. */
    private static final String LIBRARY = "comch4j.bench.lines";

    private static final long PAYLOAD = 64;
    private static final MethodHandle SEND;
    private static final MethodHandle RECEIVE;

    private static volatile boolean over;

    static {
        SymbolLookup library = SymbolLookup.libraryLookup(Path.of(System.getProperty(LIBRARY)), Arena.global());
        Linker linker = Linker.nativeLinker();
        SEND = linker.downcallHandle(
                library.find("lines_send").orElseThrow(), FunctionDescriptor.ofVoid(JAVA_INT, JAVA_LONG, ADDRESS));
        RECEIVE = linker.downcallHandle(
                library.find("lines_receive").orElseThrow(),
                FunctionDescriptor.of(JAVA_BOOLEAN, JAVA_INT, JAVA_LONG, ADDRESS, JAVA_INT));
    }

    private LinesWorks() {}

    static void run(Options options) throws InterruptedException {
        if (options.form() != Options.Form.THREADS) {
            throw new IllegalArgumentException(options.work() + " is a work of two threads");
        }
        Works.threads(LinesWorks::answer, () -> ask(options));
    }

    private static void answer() {
        Cores.bind(0);
        MemorySegment payload = Arena.global().allocate(PAYLOAD, PAYLOAD);
        for (long number = 1; await(0, number, payload); number++) {
            send(0, number, payload);
        }
    }

    private static void ask(Options options) {
        Cores.bind(1);
        MemorySegment payload = Arena.global().allocate(PAYLOAD, PAYLOAD);
        Rounds rounds = new Rounds(options);
        long number = 0;
        do {
            payload.set(JAVA_LONG, 0, ++number);
            send(1, number, payload);
            await(1, number, payload);
            if (payload.get(JAVA_LONG, 0) != number) {
                throw new IllegalStateException("round " + number + ": wrong data");
            }
        } while (rounds.record());
        over = true;
        rounds.report(options, options.work());
    }

    private static void send(int side, long number, MemorySegment payload) {
        try {
            SEND.invokeExact(side, number, payload);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static boolean await(int side, long number, MemorySegment payload) {
        Spin spin = new Spin();
        try {
            while (!(boolean) RECEIVE.invokeExact(side, number, payload, Spin.LOOKS)) {
                spin.turned(false);
                if (over) {
                    return false;
                }
            }
            return true;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
