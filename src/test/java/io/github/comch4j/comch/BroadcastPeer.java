package io.github.comch4j.comch;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.LockSupport;

/**
 * Subscribers of {@link BroadcastIT}: {@code NAME COUNT DELAY}. Tells its process id, then, when each has got the last
 * message, how many messages they have got in all, or what was wrong. With a delay, in microseconds, it reads slowly.
 */
public final class BroadcastPeer {
    private static final int RECEIVES = 64;

    private BroadcastPeer() {}

    public static void main(String[] arguments) {
        Machine.useEmulation();
        int count = Integer.parseInt(arguments[1]);
        long delay = Long.parseLong(arguments[2]) * 1000;
        long[] next = new long[count];
        long[] got = {0};
        int[] finished = {0};
        String[] wrong = new String[1];
        try (ProgressEngine engine = ProgressEngine.create();
                var host = Device.openHost(Machine.HOST);
                MemoryMap memory = MemoryMap.allocate(
                        host,
                        (long) count * RECEIVES * BroadcastIT.LENGTH,
                        Access.LOCAL_READ_WRITE,
                        Access.PCI_READ_WRITE)) {
            for (int i = 0; i < count; i++) {
                int own = i;
                ComchConsumer consumer = ComchClient.builder(engine, host, arguments[0])
                        .connect(Machine.PATIENCE)
                        .connection()
                        .consumer(engine, memory)
                        .tasks(RECEIVES)
                        .onReceive((self, buffer, producer, immediate) -> {
                            long first = buffer.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                            long last = buffer.data().get(ValueLayout.JAVA_LONG_UNALIGNED, BroadcastIT.LENGTH - 8);
                            if (first != last || first < next[own]) {
                                wrong[0] = "subscriber " + own + ": " + first + ", " + last + " after " + next[own];
                            }
                            next[own] = first + 1;
                            got[0]++;
                            if (next[own] == BroadcastIT.MESSAGES) {
                                finished[0]++;
                            }
                            if (delay > 0) {
                                LockSupport.parkNanos(delay);
                            }
                        })
                        .start(Machine.PATIENCE);
                for (int receive = 0; receive < RECEIVES; receive++) {
                    long offset = ((long) i * RECEIVES + receive) * BroadcastIT.LENGTH;
                    consumer.tryPost(consumer.acquire(offset, BroadcastIT.LENGTH));
                }
            }
            System.out.println(ProcessHandle.current().pid());
            Machine.until("all", () -> finished[0] == count, engine);
            System.out.println(wrong[0] == null ? Long.toString(got[0]) : wrong[0]);
        }
    }
}
