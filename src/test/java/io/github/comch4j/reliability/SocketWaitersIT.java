package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.net.ComchSocketFactory;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that wait at sockets of java.net over one connection, time out, are interrupted, have their sockets closed
 * and leave in turn, while their peer is killed now and then; in the second half they are interrupted only. Each wait
 * has an end, and what comes is what was sent.
 * {@code -Dwaiters.seconds=600}.
 */
class SocketWaitersIT {
    private static final int THREADS = 8;
    private static final int KILL_EVERY = 500; // rounds of some milliseconds
    private static final long LATE = 20_000_000_000L;

    private final String name = Machine.uniqueName();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicReferenceArray<Socket> open = new AtomicReferenceArray<>(THREADS);
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean calm; // nothing ends a socket, and reads have no limit: one that is not woken stays
    private volatile boolean over;

    @Test
    @Timeout(120)
    void forSomeSeconds() throws Exception {
        run(3);
    }

    @Test
    @Tag("reliability")
    @Timeout(3600)
    void asLongAsAsked() throws Exception {
        run(Integer.getInteger("waiters.seconds", 20));
        System.out.println("waiters: " + answers + " answers at sockets, " + wrong.size() + " wrong");
    }

    private Socket connect(int index) throws IOException {
        Socket socket = new ComchSocketFactory(name + ",wait=1000").createSocket("localhost", 1);
        open.set(index, socket);
        return socket;
    }

    /** Asks until something ends the socket. */
    private void ask(Socket socket, SplittableRandom random) throws IOException {
        while (!over) {
            byte[] sent = new byte[random.nextInt(1, 1 << random.nextInt(1, 15))];
            random.nextBytes(sent);
            int limit = calm ? 0 : random.nextInt(1, 1 << random.nextInt(1, 12));
            socket.setSoTimeout(limit);
            socket.getOutputStream().write(sent);
            byte[] got = new byte[sent.length];
            for (int done = 0; done < got.length; ) {
                long begun = System.nanoTime();
                int count;
                try {
                    count = socket.getInputStream().read(got, done, got.length - done);
                } catch (SocketTimeoutException e) {
                    count = 0; // what is missing comes later, unless this socket is at its end
                }
                long late = System.nanoTime() - begun - limit * 1_000_000L;
                if (limit > 0 && late > LATE) {
                    wrong.add("a read has ended " + late / 1_000_000 + " ms late");
                }
                if (count < 0) {
                    return;
                }
                done += count;
            }
            if (!Arrays.equals(sent, got)) {
                wrong.add("other bytes than were sent");
            }
            answers.incrementAndGet();
            if (Thread.interrupted()) {
                Thread.onSpinWait(); // for the next one
            }
        }
    }

    private void wait(int index) {
        SplittableRandom random = new SplittableRandom(index);
        while (!over) {
            try (Socket socket = connect(index)) {
                ask(socket, random);
            } catch (IOException e) {
                Thread.interrupted(); // in time, which is all that is asked for
            }
        }
    }

    private Child start() {
        // with Netty, which is no part of a child's own class path
        return Child.start(EchoSockets.class, List.of("-cp", System.getProperty("java.class.path")), Map.of(), name);
    }

    private void run(int seconds) throws Exception {
        Machine.useEmulation();
        Child server = start();
        try {
            assertThat(server.line()).isEqualTo("serving");
            List<Thread> waiters = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int index = i;
                Thread.Builder builder = i % 4 == 3 ? Thread.ofVirtual() : Thread.ofPlatform();
                waiters.add(builder.start(() -> wait(index)));
            }
            SplittableRandom random = new SplittableRandom(THREADS);
            long begun = System.nanoTime();
            long time = seconds * 1_000_000_000L;
            for (int round = 1; System.nanoTime() - begun < time || answers.get() == 0; round++) {
                Thread.sleep(random.nextInt(1, 10));
                waiters.get(random.nextInt(THREADS)).interrupt();
                calm = System.nanoTime() - begun > time / 2;
                Socket socket = open.get(random.nextInt(THREADS));
                if (!calm && round % 10 == 0 && socket != null) {
                    socket.close();
                }
                if (!calm && round % KILL_EVERY == 0) {
                    server.kill();
                    server.close();
                    server = start();
                    assertThat(server.line()).isEqualTo("serving");
                }
            }
            over = true;
            for (Thread waiter : waiters) {
                waiter.join(Duration.ofNanos(2 * LATE));
                if (waiter.isAlive()) {
                    wrong.add("a wait without an end: " + List.of(waiter.getStackTrace()));
                }
            }
        } finally {
            server.close();
        }
        assertThat(wrong).isEmpty();
    }
}
