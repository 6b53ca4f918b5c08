package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory of a context's messages, and of the calls of all contexts of an engine. */
class ReceivedMemoryTest {
    private static final int LONG = 20_000;

    private final CallMemory staging = new CallMemory();

    @AfterEach
    void close() {
        staging.close();
    }

    private static byte[] bytes(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static byte[] read(MemorySegment staged, int length) {
        return staged.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void whatWasLentEndsWithTheContextAndNotWithTheEngine() {
        ReceivedMemory scratch = new ReceivedMemory(64);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes(64, 3));
            MemorySegment lent = scratch.lend(message.address(), 64);
            assertThat(lent.toArray(ValueLayout.JAVA_BYTE)).containsOnly(3);
            scratch.takeBack();
            scratch.close();
            assertThatThrownBy(() -> lent.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aMessageLongerThanWasNegotiatedIsLentWhole() {
        ReceivedMemory scratch = new ReceivedMemory(8);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes(100, 5));
            assertThat(scratch.lend(message.address(), 100).toArray(ValueLayout.JAVA_BYTE))
                    .hasSize(100)
                    .containsOnly(5);
        } finally {
            scratch.close();
        }
    }

    @Test
    void theLongestContextHasRoomForItsMessages() {
        staging.reserve(16);
        staging.reserve(LONG);
        assertThat(read(staging.stage(bytes(LONG, 7)), LONG)).containsOnly(7);
        assertThat(read(staging.stage(MemorySegment.ofArray(bytes(LONG, 8))), LONG))
                .containsOnly(8);
        assertThat(read(staging.stage(ByteBuffer.wrap(bytes(LONG, 9))), LONG)).containsOnly(9);
        staging.reserve(16); // of a context that came later
        assertThat(read(staging.stage(bytes(LONG, 4)), LONG)).containsOnly(4);
        assertThat(read(staging.stage(bytes(16, 6)), 16)).containsOnly(6);
    }
}
