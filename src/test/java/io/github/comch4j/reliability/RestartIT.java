package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server is restarted again and again under 1,000 callers: each server shuts down while the next one waits for its
 * name. No call fails, and each is handled once. When servers are killed instead, calls fail of which nobody knows
 * whether they were handled, and no others. {@code -Drestart.rounds=20}.
 */
@Tag("reliability")
@Timeout(300)
class RestartIT {
    private static final int CALLERS = 1000;
    private static final int ROUNDS = Integer.getInteger("restart.rounds", 4);

    private final String name = Machine.uniqueName();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final ConcurrentLinkedQueue<RpcException> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private Child startServer() {
        return Child.start(RestartServer.class, List.of(), Map.of(), name);
    }

    private void call(RpcClient client, int caller) {
        for (int i = 0; !over; i++) {
            byte[] request = ByteBuffer.allocate(100).putInt(caller).putInt(i).array();
            try {
                int method = caller % 4 == 0 ? RestartServer.BLOCKING : RestartServer.QUICK;
                ByteBuffer response = ByteBuffer.wrap(client.call(method, request));
                answered.incrementAndGet();
                if (response.getInt() != caller || response.getInt() != i) {
                    wrong.incrementAndGet();
                }
            } catch (RpcException e) {
                failures.add(e);
            }
        }
    }

    private interface Restart {
        void of(Child server);
    }

    private List<Child> underCallers(Restart restart) throws Exception {
        Machine.useEmulation();
        List<Child> servers = new ArrayList<>();
        Child server = startServer();
        servers.add(server);
        assertThat(server.line()).isEqualTo("serving");
        try (EventLoop loop = EventLoop.start("loop");
                Device host = Device.openHost(Machine.HOST);
                RpcClient client = RpcClient.builder(loop, host, name)
                        .timeout(Duration.ofMinutes(2))
                        .reconnect(Duration.ofMillis(1), Duration.ofMillis(20))
                        .waitForReady(true)
                        .connect(Machine.PATIENCE)) {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                callers.add(Thread.startVirtualThread(() -> call(client, caller)));
            }
            for (int round = 0; round < ROUNDS; round++) {
                Child next = startServer();
                servers.add(next);
                awaitAnswers(answered.get() + 20 * CALLERS); // meanwhile it has come to wait for the name
                restart.of(server);
                assertThat(next.line()).isEqualTo("serving");
                awaitAnswers(answered.get() + 5 * CALLERS);
                server = next;
            }
            over = true;
            for (Thread caller : callers) {
                caller.join();
            }
            server.writeLine("");
        }
        return servers;
    }

    private void awaitAnswers(long number) {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (answered.get() < number) {
            assertThat(System.nanoTime() - deadline).as("waiting for answers").isNegative();
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    @Test
    void noCallFailsWhenServersAreRestartedInGoodOrder() throws Exception {
        List<Child> servers = underCallers(server -> server.writeLine(""));
        long handled = 0;
        for (Child server : servers) {
            String last = server.rest();
            assertThat(last).startsWith("handled ");
            handled += Long.parseLong(last.substring("handled ".length()));
            server.close();
        }
        assertThat(failures).isEmpty();
        assertThat(wrong).hasValue(0);
        assertThat(handled).as("each once").isEqualTo(answered.get());
    }

    @Test
    void onlyCallsWithAnUnknownEndFailWhenServersAreKilled() throws Exception {
        List<Child> servers = underCallers(Child::kill);
        servers.forEach(Child::close);
        assertThat(failures)
                .allMatch(e -> e.kind() == RpcException.Kind.UNAVAILABLE && e.delivery() == RpcException.Delivery.SENT);
        assertThat(failures.size()).as("nobody has tried in vain").isLessThanOrEqualTo(ROUNDS * CALLERS);
        assertThat(wrong).hasValue(0);
    }
}
