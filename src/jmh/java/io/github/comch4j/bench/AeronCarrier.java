package io.github.comch4j.bench;

import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.protocol.DataHeaderFlyweight;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron IPC as it is fastest on two processors. Its media driver, in the receiver's process, is parked for 200 µs
 * between its rounds, so that both processors belong to the two sides; the term buffers of 8 MiB give the sender room
 * for that long; a message that fits into a fragment, of up to 64 KiB here, is written in place ({@code tryClaim}) and
 * read where it arrives. Longer ones are copied by {@code offer} and assembled. Agrona's checks of bounds are off, as
 * {@code scripts/bench.sh} starts it.
 */
final class AeronCarrier implements Carrier {
    private static final int THERE = 1001;
    private static final int BACK = 1002;
    private static final int FRAGMENTS = 256;
    private static final long PATIENCE = 30_000_000_000L;
    private static final int TERM = 8 << 20;
    private static final int FRAGMENT = 65504; // the largest MTU

    private static String folder(Options options) {
        return MediaDriver.Context.getAeronDirectoryName() + "-" + options.name();
    }

    private static MediaDriver driver(Options options) {
        return MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(folder(options))
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .ipcMtuLength(FRAGMENT)
                .ipcTermBufferLength(TERM)
                .sharedIdleStrategy(new SleepingIdleStrategy(TimeUnit.MICROSECONDS.toNanos(200))));
    }

    private static Aeron client(Options options) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(folder(options)));
    }

    private static String channel() {
        return new ChannelUriStringBuilder().media("ipc").termLength(TERM).build();
    }

    private static void await(String what, java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited too long for " + what);
            }
            Thread.onSpinWait();
        }
    }

    /** Of messages longer than a fragment only the assembler gives the whole. */
    private static FragmentHandler handler(Options options, FragmentHandler each) {
        return options.size() > FRAGMENT - DataHeaderFlyweight.HEADER_LENGTH ? new FragmentAssembler(each) : each;
    }

    private static FragmentHandler into(Arrivals arrivals) {
        return (buffer, offset, length, header) -> {
            if (arrivals.isChecking()) {
                byte[] copy = new byte[length];
                buffer.getBytes(offset, copy);
                arrivals.check(MemorySegment.ofArray(copy));
            }
            arrivals.arrived(buffer.getLong(offset), length);
        };
    }

    /** A publication with the messages that go into it. */
    private static final class Sender implements AutoCloseable {
        private final ExclusivePublication publication;
        private final int size;
        private final BufferClaim claim = new BufferClaim();
        private final UnsafeBuffer message; // with the pattern, to copy from
        private long toFill; // messages whose pattern the receiver checks

        Sender(ExclusivePublication publication, Options options) {
            this.publication = publication;
            this.size = options.size();
            this.toFill = 4L * options.depth();
            ByteBuffer bytes =
                    ByteBuffer.allocateDirect(size + 64).alignedSlice(64).order(ByteOrder.nativeOrder());
            Arrivals.fill(MemorySegment.ofBuffer(bytes.slice(0, size)));
            message = new UnsafeBuffer(bytes, 0, size);
        }

        boolean isConnected() {
            return publication.isConnected();
        }

        boolean trySend(long number) {
            if (size > publication.maxPayloadLength()) {
                message.putLong(0, number);
                return offered(publication.offer(message, 0, size));
            }
            if (!offered(publication.tryClaim(size, claim))) {
                return false;
            }
            if (toFill > 0) {
                toFill--;
                claim.putBytes(message, 0, size);
            }
            claim.buffer().putLong(claim.offset(), number);
            claim.commit();
            return true;
        }

        @Override
        public void close() {
            publication.close();
        }
    }

    /** True when it was sent; false when there is no room now. */
    private static boolean offered(long position) {
        if (position > 0) {
            return true;
        }
        if (position == Publication.BACK_PRESSURED
                || position == Publication.ADMIN_ACTION
                || position == Publication.NOT_CONNECTED) {
            return false;
        }
        throw new IllegalStateException("offer: " + Publication.errorString(position));
    }

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        MediaDriver driver = driver(options);
        Aeron aeron = client(options);
        Subscription subscription = aeron.addSubscription(channel(), THERE);
        FragmentHandler handler = handler(options, into(arrivals));
        return new Inlet() {
            @Override
            public int poll() {
                return subscription.poll(handler, FRAGMENTS);
            }

            @Override
            public void stop() {
                subscription.close();
            }

            @Override
            public void close() {
                senderGone(options);
                aeron.close();
                driver.close();
            }
        };
    }

    /** The sender notices by itself that nobody listens any more, and needs no driver to close; a moment is enough. */
    private static void senderGone(Options options) {
        try {
            Thread.sleep(options.form() == Options.Form.THREADS ? 200 : 500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Outlet outlet(Options options) {
        awaitDriver(options);
        Aeron aeron = client(options);
        Sender sender = new Sender(aeron.addExclusivePublication(channel(), THERE), options);
        AeronCarrier.await("the subscriber", sender::isConnected);
        return new Outlet() {
            private long again;

            @Override
            public boolean trySend(long number) {
                if (!sender.trySend(number)) {
                    again++;
                    return false;
                }
                return true;
            }

            @Override
            public void progress() {
                // nothing completes later
            }

            @Override
            public boolean isStopped() {
                return !sender.isConnected();
            }

            @Override
            public long again() {
                return again;
            }

            @Override
            public void close() {
                sender.close();
                aeron.close();
            }
        };
    }

    private static void awaitDriver(Options options) {
        AeronCarrier.await(
                "the media driver",
                () -> io.aeron.CommonContext.isDriverActive(new java.io.File(folder(options)), 1000, line -> {}));
    }

    @Override
    public Table answering(Options options) {
        MediaDriver driver = driver(options);
        Aeron aeron = client(options);
        return new AeronTable(options, aeron, THERE, BACK, true) {
            @Override
            public void close() {
                super.close();
                senderGone(options);
                driver.close();
            }
        };
    }

    @Override
    public Table asking(Options options) {
        awaitDriver(options);
        return new AeronTable(options, client(options), BACK, THERE, false);
    }

    private static class AeronTable implements Table {
        private final Aeron aeron;
        private final Arrivals arrivals;
        private final Subscription subscription;
        private final Sender sender;
        private final FragmentHandler handler;

        AeronTable(Options options, Aeron aeron, int in, int out, boolean answers) {
            this.aeron = aeron;
            arrivals = new Arrivals(options);
            subscription = aeron.addSubscription(channel(), in);
            sender = new Sender(aeron.addExclusivePublication(channel(), out), options);
            FragmentHandler each = into(arrivals);
            handler = handler(
                    options,
                    answers
                            ? (buffer, offset, length, header) -> {
                                each.onFragment(buffer, offset, length, header);
                                serve(arrivals.received() - 1);
                            }
                            : each);
            AeronCarrier.await("the peer", () -> sender.isConnected() && subscription.isConnected());
        }

        @Override
        public void serve(long number) {
            while (!sender.trySend(number)) {
                Thread.onSpinWait();
            }
        }

        @Override
        public long turn() {
            subscription.poll(handler, 1);
            return arrivals.received();
        }

        @Override
        public boolean isOver() {
            return !sender.isConnected();
        }

        @Override
        public void close() {
            subscription.close();
            sender.close();
            aeron.close();
        }
    }
}
