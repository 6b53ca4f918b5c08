package io.github.comch4j.containers;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * What {@link EchoServer}, {@link EchoClient} and their twins in C ({@code src/test/c/interop}) have agreed on.
 *
 * <p>The server sends every message back. What its consumer gets it sends back by a producer of its own to the client's
 * consumer, with the same immediate data: the number of the payload, 4 bytes, little-endian.
 */
final class Echo {
    /** Buffers that each consumer posts; as many payloads are under way at most. */
    static final int WINDOW = 4;
    /** The size of each; above what the emulated device's pipeline holds. */
    static final int MAX_PAYLOAD = (2 << 20) + 16;
    /** Small ones in the slot, eager ones, and ones for the direct write or the pipeline. */
    static final int[] PAYLOADS = {1, 64, 92, 93, 4096, 16384, 16385, 100_000, 1 << 20, MAX_PAYLOAD};

    static final int[] MESSAGES = {1, 15, 16, 17, 100, 1000, 4080};
    static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("patience", 60));

    private Echo() {}

    private static byte at(int number, int index) {
        return (byte) (number + index + (index >> 8));
    }

    static void fill(MemorySegment payload, int number) {
        for (int i = 0; i < payload.byteSize(); i++) {
            payload.set(ValueLayout.JAVA_BYTE, i, at(number, i));
        }
    }

    static void check(MemorySegment payload, int number) {
        for (int i = 0; i < payload.byteSize(); i++) {
            if (payload.get(ValueLayout.JAVA_BYTE, i) != at(number, i)) {
                throw new AssertionError(
                        "number " + number + " of " + payload.byteSize() + " bytes is wrong at byte " + i);
            }
        }
    }

    /** Lets the emulated device tell on stderr what it does, for instance how payloads travel. */
    static void logEverything() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment backend = arena.allocate(ValueLayout.ADDRESS);
            int made = doca_h.doca_log_backend_create_with_fd_sdk(2, backend);
            new DocaAnswer("doca_log_backend_create_with_fd_sdk", made).check("making a log");
            int told = doca_h.doca_log_backend_set_sdk_level(
                    backend.get(ValueLayout.ADDRESS, 0), doca_h.DOCA_LOG_LEVEL_DEBUG());
            new DocaAnswer("doca_log_backend_set_sdk_level", told).check("letting it tell everything");
        }
    }
}
