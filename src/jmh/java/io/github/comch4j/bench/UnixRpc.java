package io.github.comch4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls over a Unix-domain {@code SocketChannel}, blocking. Callers put their requests into a queue; whichever of them
 * finds the channel free writes all that are there with one call of the system, so that a lone caller waits for no
 * other thread. One thread reads as much as there is and wakes the callers. The server is one thread, which reads as
 * much as there is, and writes the responses with one call. Frames are of a length, a number and a body.
 */
final class UnixRpc implements RpcWorks.Caller {
    private static final int HEADER = 12;
    private static final int BUFFER = 256 << 10; // at least
    private static final int SLOTS = 1 << 14;

    private static final class Call {
        final Thread caller = Thread.currentThread();
        final byte[] request;
        long number;
        volatile byte[] response;

        Call(byte[] request) {
            this.request = request;
        }
    }

    private final SocketChannel channel;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicReferenceArray<Call> calls = new AtomicReferenceArray<>(SLOTS);
    private final ConcurrentLinkedQueue<Call> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final ByteBuffer output;
    private final int buffer;

    private UnixRpc(SocketChannel channel, int buffer) {
        this.channel = channel;
        this.buffer = buffer;
        this.output = ByteBuffer.allocateDirect(buffer);
        Thread reader = new Thread(this::read, "reader");
        reader.setDaemon(true);
        reader.start();
    }

    static UnixRpc connect(Options options) {
        return new UnixRpc(UnixSockets.connect(options), buffer(options));
    }

    /** Room for two frames. */
    private static int buffer(Options options) {
        return Math.max(BUFFER, 2 * (HEADER + options.size()));
    }

    @Override
    public byte[] call(byte[] request) {
        Call call = new Call(request);
        do {
            call.number = numbers.incrementAndGet();
        } while (!calls.compareAndSet((int) call.number & SLOTS - 1, null, call));
        queue.add(call);
        write();
        while (call.response == null) {
            LockSupport.park(this);
        }
        return call.response;
    }

    /** Writes what is queued, unless another caller does. */
    private void write() {
        while (!queue.isEmpty() && writing.tryLock()) {
            try {
                output.clear();
                Call next;
                while ((next = queue.peek()) != null && output.remaining() >= HEADER + next.request.length) {
                    queue.remove();
                    output.putInt(next.request.length).putLong(next.number).put(next.request);
                }
                send(channel, output);
            } finally {
                writing.unlock();
            }
        }
    }

    private static void send(SocketChannel channel, ByteBuffer bytes) {
        try {
            bytes.flip();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        ByteBuffer input = ByteBuffer.allocateDirect(buffer);
        try {
            while (channel.read(input) >= 0) {
                input.flip();
                while (input.remaining() >= HEADER && input.remaining() >= HEADER + input.getInt(input.position())) {
                    byte[] body = new byte[input.getInt()];
                    int slot = (int) input.getLong() & SLOTS - 1;
                    input.get(body);
                    Call call = calls.getAndSet(slot, null);
                    call.response = body;
                    LockSupport.unpark(call.caller);
                }
                input.compact();
            }
        } catch (IOException e) {
            // closed
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static AutoCloseable serve(Options options) throws IOException {
        ServerSocketChannel server = UnixSockets.serve(options);
        Thread thread = new Thread(() -> answer(server, buffer(options)), "server");
        thread.setDaemon(true);
        thread.start();
        return () -> UnixSockets.close(server, options);
    }

    private static void answer(ServerSocketChannel server, int buffer) {
        ByteBuffer input = ByteBuffer.allocateDirect(buffer);
        ByteBuffer output = ByteBuffer.allocateDirect(2 * buffer);
        try (SocketChannel channel = server.accept()) {
            while (channel.read(input) >= 0) {
                input.flip();
                output.clear();
                while (input.remaining() >= HEADER && input.remaining() >= HEADER + input.getInt(input.position())) {
                    byte[] body = new byte[input.getInt()]; // what a handler would get
                    long number = input.getLong();
                    input.get(body);
                    output.putInt(body.length).putLong(number).put(body);
                }
                input.compact();
                send(channel, output);
            }
        } catch (IOException e) {
            // closed
        }
    }
}
