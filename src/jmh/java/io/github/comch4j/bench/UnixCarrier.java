package io.github.comch4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/**
 * A Unix-domain {@code SocketChannel} of the JDK, blocking: one write for each message, reads as large as they come.
 * All messages have one length.
 */
final class UnixCarrier implements Carrier {
    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer message(Options options) {
        ByteBuffer message = buffer(options.size());
        Arrivals.fill(MemorySegment.ofBuffer(message));
        return message;
    }

    /** Cuts what it reads into messages. */
    private static final class Reader {
        private final SocketChannel channel;
        private final Options options;
        private final Arrivals arrivals;
        private final ByteBuffer input;

        Reader(SocketChannel channel, Options options, Arrivals arrivals) {
            this.channel = channel;
            this.options = options;
            this.arrivals = arrivals;
            input = buffer(Math.max(1 << 16, 2 * options.size()));
        }

        /** Reads once; -1 at the end. */
        int read() {
            try {
                if (channel.read(input) < 0) {
                    return -1;
                }
            } catch (IOException e) {
                return -1; // the peer has gone
            }
            int size = options.size();
            int count = 0;
            input.flip();
            while (input.remaining() >= size) {
                int at = input.position();
                if (arrivals.isChecking()) {
                    arrivals.check(MemorySegment.ofBuffer(input.slice(at, size)));
                }
                arrivals.arrived(input.getLong(at), size);
                input.position(at + size);
                count++;
            }
            input.compact();
            return count;
        }
    }

    /** False when the peer has gone. */
    private static boolean write(SocketChannel channel, ByteBuffer message, long number) {
        message.clear();
        message.putLong(0, number);
        try {
            while (message.hasRemaining()) {
                channel.write(message);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Inlet inlet(Options options, Arrivals arrivals) {
        SocketChannel channel = UnixSockets.accept(options);
        Reader reader = new Reader(channel, options, arrivals);
        return new Inlet() {
            @Override
            public int poll() {
                return Math.max(0, reader.read());
            }

            @Override
            public void stop() {
                UnixCarrier.close(channel);
            }

            @Override
            public void close() {
                UnixCarrier.close(channel);
            }
        };
    }

    @Override
    public Outlet outlet(Options options) {
        SocketChannel channel = UnixSockets.connect(options);
        ByteBuffer message = message(options);
        return new Outlet() {
            private boolean stopped;

            @Override
            public boolean trySend(long number) {
                stopped |= !write(channel, message, number);
                return !stopped;
            }

            @Override
            public void progress() {
                // nothing completes later
            }

            @Override
            public boolean isStopped() {
                return stopped;
            }

            @Override
            public long again() {
                return 0; // it waits in write
            }

            @Override
            public void close() {
                UnixCarrier.close(channel);
            }
        };
    }

    @Override
    public Table answering(Options options) {
        return new UnixTable(options, UnixSockets.accept(options), true);
    }

    @Override
    public Table asking(Options options) {
        return new UnixTable(options, UnixSockets.connect(options), false);
    }

    private static final class UnixTable implements Table {
        private final SocketChannel channel;
        private final Arrivals arrivals;
        private final Reader reader;
        private final ByteBuffer message;
        private final boolean answers;
        private boolean over;

        UnixTable(Options options, SocketChannel channel, boolean answers) {
            this.channel = channel;
            this.answers = answers;
            arrivals = new Arrivals(options);
            reader = new Reader(channel, options, arrivals);
            message = message(options);
        }

        @Override
        public void serve(long number) {
            write(channel, message, number);
        }

        @Override
        public long turn() {
            int count = reader.read();
            over |= count < 0;
            if (answers && count > 0) {
                serve(arrivals.received() - 1);
            }
            return arrivals.received();
        }

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void close() {
            UnixCarrier.close(channel);
        }
    }
}
