package io.github.comch4j.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sending and receiving allocate nothing per message, neither through memory that is native nor on the heap. */
@Timeout(60)
class ChannelAllocationTest extends BothCarriers {
    private static final int WARM_UP = 30_000;
    private static final int MESSAGES = 50_000;

    private void assertNothingAllocated(MemorySegment message) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        ChannelService service = machine.listen();
        ChannelClient client = machine.client();
        ChannelPeer peer = machine.connect(client, service);
        long before = 0;
        for (int i = 0; i < WARM_UP + MESSAGES; i++) {
            if (i == WARM_UP) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            if (!client.trySend(peer, message).accepted()) {
                throw new AssertionError("no room");
            }
            if (service.tryReceive(machine.buffer) == null) {
                throw new AssertionError("no message");
            }
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(peer.counters().sentMessages()).isEqualTo(WARM_UP + MESSAGES);
        assertThat(allocated / (double) MESSAGES).as("bytes per message").isLessThan(1);
    }

    @Test
    void fromNativeMemory() {
        assertNothingAllocated(Arena.ofAuto().allocate(1000));
    }

    @Test
    void fromTheHeap() {
        assertNothingAllocated(MemorySegment.ofArray(new byte[100]));
    }
}
