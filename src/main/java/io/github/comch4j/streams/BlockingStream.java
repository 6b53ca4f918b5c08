package io.github.comch4j.streams;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stream for threads that wait, platform or virtual ones: one that reads, one that writes, and any that ends it. What
 * it keeps is bounded: {@link #MOST} bytes that nobody has read, above the stream's window, and as many that were
 * written and have not gone out.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails ends the stream
public final class BlockingStream implements AutoCloseable {
    /** Bytes of the bound. */
    public static final int MOST = 256 << 10;

    private static final int LEAST = MOST / 2;
    private static final int CHUNK = 32 << 10;

    private final Http2StreamChannel stream;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition gone = lock.newCondition();
    private final ArrayDeque<ByteBuf> input = new ArrayDeque<>();
    private int waiting; // bytes of the input
    private int pending; // bytes of the output
    private boolean paused;
    private boolean inputEnded;
    private boolean inputShut; // by this end
    private boolean outputShut;
    private @Nullable Future<?> finished;
    private boolean closed;
    private @Nullable String failure;

    private BlockingStream(Http2StreamChannel stream) {
        this.stream = stream;
    }

    /** What a {@link StreamOpener} or an {@link IncomingStream} gives its user. On the stream's loop. */
    public static BlockingStream of(Http2StreamChannel stream) {
        BlockingStream made = new BlockingStream(stream);
        stream.pipeline().addLast(made.new ArrivingBytes());
        stream.config().setAutoRead(true);
        return made;
    }

    /** What it is a stream of. */
    public Http2StreamChannel channel() {
        return stream;
    }

    /**
     * Waits for bytes.
     *
     * @param nanos how long to wait at most; 0: for ever
     * @return how many there were, or -1 at the end of the input
     * @throws SocketTimeoutException if there were none in that time
     * @throws SocketException if the stream was reset, or closed by this end
     * @throws InterruptedIOException if the thread is virtual and is interrupted
     */
    public int read(byte[] bytes, int offset, int length, long nanos) throws IOException {
        lock.lock();
        try {
            if (!SocketWaits.await(arrived, limit(nanos), () -> isReadable() || length == 0)) {
                throw new SocketTimeoutException("Read timed out");
            }
            if (waiting > 0) {
                return take(bytes, offset, length);
            }
            if (closed) {
                throw new SocketException("Socket closed");
            }
            if (inputEnded || inputShut) {
                return -1;
            }
            if (failure != null) {
                throw new SocketException(failure);
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a reader gets something without waiting: bytes, the end, or a failure. */
    private boolean isReadable() {
        return waiting > 0 || closed || inputEnded || inputShut || failure != null;
    }

    private int take(byte[] bytes, int offset, int length) {
        int taken = 0;
        while (taken < length && !input.isEmpty()) {
            ByteBuf first = input.element();
            int count = Math.min(first.readableBytes(), length - taken);
            first.readBytes(bytes, offset + taken, count);
            taken += count;
            if (!first.isReadable()) {
                input.remove().release();
            }
        }
        waiting -= taken;
        if (paused && waiting <= LEAST) {
            paused = false;
            StreamCodec.resume(stream);
        }
        return taken;
    }

    /** Bytes that can be read without waiting. */
    public int available() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Hands over all of the bytes, and waits for room for them.
     *
     * @throws SocketException if the stream has ended, or this end of it
     * @throws InterruptedIOException if the thread is virtual and is interrupted: the stream is reset
     */
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            writeAll(bytes, offset, length);
        } catch (InterruptedIOException e) {
            reset(); // or the rest would be missing before what is written next
            throw e;
        }
    }

    private void writeAll(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int count = Math.min(CHUNK, length - done);
            reserve(count);
            ByteBuf part = stream.alloc().buffer(count).writeBytes(bytes, offset + done, count);
            stream.writeAndFlush(part).addListener(written -> released(count));
            done += count;
        }
    }

    private void reserve(int count) throws IOException {
        lock.lock();
        try {
            SocketWaits.await(gone, SocketWaits.FOR_EVER, () -> outputEnd() != null || hasRoom(count));
            String end = outputEnd();
            if (end != null) {
                throw new SocketException(end);
            }
            pending += count;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom(int count) {
        return pending == 0 || pending + count <= MOST;
    }

    /** Why nothing more can be written; null if something can. */
    private @Nullable String outputEnd() {
        if (closed) {
            return "Socket closed";
        }
        if (outputShut) {
            return "Socket output is shutdown";
        }
        if (failure != null) {
            return failure;
        }
        return stream.isActive() ? null : "Broken pipe: the other end has closed the stream";
    }

    private void released(int count) {
        lock.lock();
        try {
            pending -= count;
            gone.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static long limit(long nanos) {
        return nanos == 0 ? SocketWaits.FOR_EVER : nanos;
    }

    /** Tells the peer that no more comes; the other direction goes on. */
    public void shutdownOutput() {
        lock.lock();
        try {
            if (!outputShut && !closed) {
                outputShut = true;
                finished = StreamCodec.finish(stream);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What has arrived, and what will, is thrown away, and reading is at its end. */
    public void shutdownInput() {
        lock.lock();
        try {
            inputShut = true;
            discard();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the peer has said that no more comes. */
    public boolean isInputEnded() {
        lock.lock();
        try {
            return inputEnded;
        } finally {
            lock.unlock();
        }
    }

    /** Whether this end has closed or reset it; it may have something to send still. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** What was written goes out, then the stream is at its end, as that of a socket which is closed. */
    @Override
    public void close() {
        end(true);
    }

    /** Ends it at once, and has the peer know that this is no end as it should be. */
    public void reset() {
        end(false);
    }

    private void end(boolean wanted) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (wanted) {
                shutdownOutput();
            }
            closed = true;
            discard();
            arrived.signalAll();
            gone.signalAll();
        } finally {
            lock.unlock();
        }
        if (wanted && finished != null) {
            finished.addListener(gone -> stop()); // not before: a reset overtakes what was written
        } else {
            StreamCodec.reset(stream, Http2Error.CANCEL);
        }
    }

    /** What the peer still sends is for nobody. */
    private void stop() {
        if (stream.isActive() && !isInputEnded()) {
            StreamCodec.reset(stream, Http2Error.NO_ERROR);
        }
    }

    private void discard() {
        input.forEach(ReferenceCountUtil::release);
        input.clear();
        waiting = 0;
        paused = false;
        StreamCodec.resume(stream);
    }

    private final class ArrivingBytes extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            lock.lock();
            try {
                if (closed || inputShut) {
                    bytes.release();
                    return;
                }
                input.add(bytes);
                waiting += bytes.readableBytes();
                if (waiting > MOST && !paused) {
                    paused = true;
                    context.channel().config().setAutoRead(false);
                }
                arrived.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ended(true, null);
            } else if (event instanceof Http2ResetFrame reset && reset.errorCode() != Http2Error.NO_ERROR.code()) {
                ended(false, "Connection reset");
            }
            ReferenceCountUtil.release(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ended(false, "Connection reset: " + cause.getMessage());
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended(
                    false,
                    "Connection reset: the connection over Comch has ended, or the other end has reset the stream");
        }

        private void ended(boolean asItShould, @Nullable String why) {
            lock.lock();
            try {
                if (asItShould) {
                    inputEnded = true;
                } else if (failure == null && !inputEnded) {
                    failure = why;
                }
                arrived.signalAll();
                gone.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
