package io.github.comch4j.bench;

import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron IPC. The receiving side has the media driver in it, which sleeps between its rounds, so that both processors
 * belong to the two sides. The payload stands in a buffer of the sender's and is copied by {@code offer}, as the fast
 * path copies it, and is read where it arrives.
 */
final class AeronCarrier implements Carrier {
    private static final int THERE = 1001;
    private static final int BACK = 1002;
    private static final int FRAGMENTS = 256;
    private static final long PATIENCE = 30_000_000_000L;

    private static String folder(Options options) {
        return MediaDriver.Context.getAeronDirectoryName() + "-" + options.name();
    }

    private static MediaDriver driver(Options options) {
        return MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(folder(options))
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1)));
    }

    private static Aeron client(Options options) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(folder(options)));
    }

    private static String channel() {
        return new ChannelUriStringBuilder().media("ipc").build();
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
        return options.size() > 1024 ? new FragmentAssembler(each) : each;
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

    private static UnsafeBuffer message(Options options) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(options.size() + 64).alignedSlice(64).order(ByteOrder.nativeOrder());
        Arrivals.fill(MemorySegment.ofBuffer(bytes.slice(0, options.size())));
        return new UnsafeBuffer(bytes, 0, options.size());
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
        Publication publication = aeron.addExclusivePublication(channel(), THERE);
        UnsafeBuffer message = message(options);
        AeronCarrier.await("the subscriber", publication::isConnected);
        return new Outlet() {
            private long again;

            @Override
            public boolean trySend(long number) {
                message.putLong(0, number);
                if (!offered(publication.offer(message, 0, options.size()))) {
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
                return !publication.isConnected();
            }

            @Override
            public long again() {
                return again;
            }

            @Override
            public void close() {
                publication.close();
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
        private final Options options;
        private final Aeron aeron;
        private final Arrivals arrivals;
        private final Subscription subscription;
        private final Publication publication;
        private final FragmentHandler handler;
        private final UnsafeBuffer message;

        AeronTable(Options options, Aeron aeron, int in, int out, boolean answers) {
            this.options = options;
            this.aeron = aeron;
            arrivals = new Arrivals(options);
            message = message(options);
            subscription = aeron.addSubscription(channel(), in);
            publication = aeron.addExclusivePublication(channel(), out);
            FragmentHandler each = into(arrivals);
            handler = handler(
                    options,
                    answers
                            ? (buffer, offset, length, header) -> {
                                each.onFragment(buffer, offset, length, header);
                                serve(arrivals.received() - 1);
                            }
                            : each);
            AeronCarrier.await("the peer", () -> publication.isConnected() && subscription.isConnected());
        }

        @Override
        public void serve(long number) {
            message.putLong(0, number);
            while (!offered(publication.offer(message, 0, options.size()))) {
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
            return !publication.isConnected();
        }

        @Override
        public void close() {
            subscription.close();
            publication.close();
            aeron.close();
        }
    }
}
