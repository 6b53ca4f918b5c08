package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Counts what arrives, and looks whether its length is right and the number that it begins with is the next one. */
final class ArrivalCheck {
    private final int size;
    private final boolean numbered;
    private long received;
    /** Runs after each arrival of a round trip; null if there is nothing to answer. */
    private @Nullable Runnable answer;

    ArrivalCheck(int size) {
        this.size = size;
        this.numbered = size >= Long.BYTES;
    }

    /** Answers each of a round trip from now on, and those that have come before there was anything to answer with. */
    void answerBy(Runnable runnable) {
        answer = runnable;
        for (long i = 0; i < received; i++) {
            runnable.run();
        }
    }

    /** What {@link #arrived} looks at. */
    static void number(MemorySegment memory, long at, int size, long number) {
        if (size >= Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, number);
        }
    }

    void arrived(MemorySegment memory, long at, long length) {
        if (length != size || (numbered && memory.get(ValueLayout.JAVA_LONG, at) != received)) {
            throw wrong(length);
        }
        received++;
        if (answer != null) {
            answer.run();
        }
    }

    /** As many messages of one length, of which each begins {@code stride} bytes after the one before. */
    void arrived(MemorySegment memory, long first, long stride, int count, long length) {
        long wrong = length - size;
        for (int i = 0; i < count && numbered; i++) {
            wrong |= memory.get(ValueLayout.JAVA_LONG, first + i * stride) ^ (received + i);
        }
        if (wrong != 0) {
            throw wrong(length);
        }
        received += count;
    }

    private ProgramException wrong(long length) {
        return new ProgramException(
                "after " + received + " messages, one of " + length + " bytes arrived that is not" + " the next one");
    }

    long received() {
        return received;
    }
}
