package io.github.comch4j.cli.sample;

import io.github.comch4j.WaitInterruptedException;
import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelPeerState;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.channel.PeerBrokenException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Either end of DOCA 2.5's application {@code secure_channel}: both send so many messages and receive what comes, each
 * in two threads, until they are interrupted.
 *
 * <p>The threads share the endpoint by a lock. They arm and sleep outside of it.
 */
public final class SecureChannelSample {
    private static final String NAME = "secure_channel_server";
    public static final int MESSAGE_SIZE = 4080;
    private static final int QUEUE_SIZE = 8190;
    private static final Duration WHILE_FULL = Duration.ofMillis(10);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final SampleOptions options;
    private final int messages;
    private final long endAfter; // messages received; 0: only when interrupted
    private final Lock lock = new ReentrantLock();
    private final CountDownLatch peerIsKnown = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final Thread sends = new Thread(this::send, "sends");
    private final Thread receives = new Thread(this::receive, "receives");
    private volatile boolean stopped;
    private volatile ChannelEndpoint endpoint;
    private volatile ChannelPeer peer;

    public SecureChannelSample(SampleOptions options, int messages, long endAfter) {
        this.options = options;
        this.messages = messages;
        this.endAfter = endAfter;
    }

    /** What both ends send, as long as it is. */
    public static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    public void run() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::interrupted));
        try {
            if (options.server()) {
                serve();
            } else {
                connect();
            }
        } finally {
            ended.countDown();
        }
    }

    /** By the user, or at the end of the program, when nothing is left to stop. */
    private void interrupted() {
        stop();
        boolean woken = false;
        while (!woken) {
            try {
                ended.await();
                woken = true;
            } catch (InterruptedException e) {
                stop();
            }
        }
    }

    private void stop() {
        stopped = true;
        sends.interrupt();
        receives.interrupt();
    }

    private void serve() {
        try (Device dpu = Devices.openDpu(options.deviceHere());
                Representor function = dpu.openRepresentor(options.functionOf(dpu));
                ChannelService service =
                        sized(ChannelService.builder(dpu, function)).listen(NAME)) {
            System.out.println("Started Listening, waiting for new connection");
            converse(service);
        }
    }

    private void connect() {
        try (Device host = Devices.openHost(options.deviceHere());
                ChannelClient client = sized(ChannelClient.builder(host)).create()) {
            peer = ChannelSample.connected(client, NAME);
            peerIsKnown.countDown();
            System.out.println("Connection to DPU was established successfully");
            converse(client);
        }
    }

    private static <B extends ChannelEndpoint.Builder<B>> B sized(B builder) {
        return builder.maxMessageSize(MESSAGE_SIZE).sendQueueSize(QUEUE_SIZE).receiveQueueSize(QUEUE_SIZE);
    }

    private void converse(ChannelEndpoint with) {
        endpoint = with;
        sends.start();
        receives.start();
        if (stopped) {
            stop(); // the interrupt has come before the threads began
        }
        join(sends);
        join(receives);
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        letArrive();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
        }
    }

    /** What was sent is to arrive before the endpoint is closed. */
    private void letArrive() {
        ChannelPeer to = peer;
        long deadline = System.nanoTime() + SILENCE.toNanos();
        while (to != null
                && to.state() == ChannelPeerState.CONNECTED
                && to.statistics().inFlight() > 0
                && System.nanoTime() - deadline < 0) {
            Thread.yield();
        }
    }

    // ---- the sending thread ----

    private void send() {
        guarded(() -> {
            MemorySegment message = Arena.ofAuto().allocate(options.text().length);
            message.copyFrom(MemorySegment.ofArray(options.text()));
            int sent = 0;
            try {
                peerIsKnown.await();
                while (sent < messages && waitedAndSent(message)) {
                    sent++;
                }
            } catch (PeerBrokenException e) { // it stays so
                System.out.println("Message number " + (messages - sent) + " was not sent: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // before a peer was known
            }
            System.out.println("Send thread exiting, total amount of messages sent successfully: " + sent);
        });
    }

    /** False: interrupted before there was room. */
    private boolean waitedAndSent(MemorySegment message) {
        while (!stopped) {
            if (trySend(message)) {
                return true;
            }
            await(() -> endpoint.awaitSend(WHILE_FULL));
        }
        return false;
    }

    private boolean trySend(MemorySegment message) {
        lock.lock();
        try {
            return endpoint.trySend(peer, message).accepted();
        } finally {
            lock.unlock();
        }
    }

    // ---- the receiving thread ----

    private void receive() {
        guarded(() -> {
            MemorySegment buffer = Arena.ofAuto().allocate(MESSAGE_SIZE);
            MemorySegment expected = MemorySegment.ofArray(pattern(MESSAGE_SIZE));
            long received = 0;
            boolean more = true;
            while (more) {
                ChannelPeer from = null;
                try {
                    from = tryReceive(buffer);
                } catch (PeerBrokenException e) {
                    System.out.println("Failed to receive channel message: " + e.getMessage());
                    more = options.server(); // to a client nobody else comes
                    continue;
                }
                if (from == null) {
                    more = !stopped;
                    if (more) {
                        await(() -> endpoint.awaitReceive(FOR_EVER));
                    }
                    continue;
                }
                checkContents(buffer, expected);
                if (peer == null) {
                    peer = from;
                    peerIsKnown.countDown();
                }
                received++;
                more = received != endAfter;
            }
            System.out.println("Receive thread exiting, total amount of messages received successfully: " + received);
        });
    }

    private ChannelPeer tryReceive(MemorySegment buffer) {
        lock.lock();
        try {
            return endpoint.tryReceive(buffer);
        } finally {
            lock.unlock();
        }
    }

    /** Only this thread receives: so the length is that of its message. */
    private void checkContents(MemorySegment buffer, MemorySegment expected) {
        int length = endpoint.receivedLength();
        if (MemorySegment.mismatch(buffer, 0, length, expected, 0, length) >= 0) {
            throw new ProgramException("a message of " + length + " bytes with other contents than the peer sends");
        }
    }

    // ---- both ----

    /** An interrupt ends the sleep and nothing else. */
    private void await(Runnable sleep) {
        try {
            sleep.run();
        } catch (IllegalStateException | WaitInterruptedException e) { // closed, or interrupted
            if (!stopped) {
                throw e;
            }
        }
    }

    /** A failure of one thread ends the other one, and the program. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
            stop();
        }
    }
}
