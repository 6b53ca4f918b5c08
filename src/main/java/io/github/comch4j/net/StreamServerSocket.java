package io.github.comch4j.net;

import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.github.comch4j.streams.BlockingStream;
import io.github.comch4j.streams.ConnectionWatch;
import io.github.comch4j.streams.IncomingStream;
import io.github.comch4j.streams.PeerLimits;
import io.github.comch4j.streams.SocketWaits;
import io.github.comch4j.streams.StreamRefusedException;
import io.github.comch4j.streams.StreamServing;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Accepts streams of one service. Those that were accepted go on when it is closed. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the stream
final class StreamServerSocket extends ServerSocket {
    private static final int MOST_WAITING = 50; // as of a ServerSocket, unless told otherwise
    private static final String CLOSED = "Socket closed";
    /** Connections end with their last stream, whenever that is. */
    private static final PeerLimits LIMITS = new PeerLimits(
            PeerLimits.USUAL.window(), PeerLimits.USUAL.streams(), PeerLimits.USUAL.connections(), Duration.ofDays(1));

    private static final long END_SECONDS = 5;
    private static final long LAST_MILLIS = 2000; // for a peer that stands still

    private final StreamAddress service;
    private final int most;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("comch-server-socket", true), ComchIoHandler.newFactory());
    private final StreamServing serving = new StreamServing(LIMITS, ConnectionWatch.NONE, this::asked);
    private final Channel server;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<BlockingStream> waiting = new ArrayDeque<>();
    private boolean closed; // guarded by the lock, as is the above
    private volatile int timeout; // milliseconds; 0: none

    /** Is bound; {@code backlog} of 0 or less: the usual. */
    StreamServerSocket(StreamAddress service, int backlog) throws IOException {
        this.service = service;
        this.most = backlog > 0 ? backlog : MOST_WAITING;
        try {
            ChannelFuture bound = new ServerBootstrap()
                    .group(loops)
                    .channel(ComchServerChannel.class)
                    .childHandler(serving)
                    .bind(service.bound())
                    .awaitUninterruptibly();
            if (!bound.isSuccess()) {
                throw new java.net.BindException(
                        describe() + " cannot be served: " + bound.cause().getMessage());
            }
            server = bound.channel();
            ExitFlush.add(this, this::drain);
        } catch (IOException | RuntimeException e) {
            end();
            throw e;
        }
    }

    private String describe() {
        return "comch:" + service.service();
    }

    private void end() {
        loops.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS);
    }

    private void asked(IncomingStream incoming) {
        lock.lock();
        try {
            if (!incoming.service().equals(service.service())) {
                incoming.refuse(new StreamRefusedException(
                        StreamRefusedException.NO_SERVICE, "no service \"" + incoming.service() + "\""));
            } else if (closed || waiting.size() >= most) {
                incoming.refuse(
                        new StreamRefusedException(StreamRefusedException.BUSY, "the server accepts no streams now"));
            } else {
                incoming.accept(stream -> {
                    BlockingStream next = BlockingStream.of(stream);
                    ExitFlush.add(this, next);
                    waiting.add(next);
                    changed.signal();
                });
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Socket accept() throws IOException {
        return StreamSocket.accepted(service, next());
    }

    private BlockingStream next() throws IOException {
        try {
            return awaitNext();
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (InterruptedIOException e) {
            close(); // as a ServerSocket of TCP does for a virtual thread
            throw new SocketException("Closed by interrupt");
        }
    }

    private BlockingStream awaitNext() throws IOException {
        long limit = timeout == 0 ? SocketWaits.FOR_EVER : TimeUnit.MILLISECONDS.toNanos(timeout);
        lock.lock();
        try {
            if (!SocketWaits.await(changed, limit, () -> closed || !waiting.isEmpty())) {
                throw new SocketTimeoutException("Accept timed out");
            }
            if (closed) {
                throw new SocketException(CLOSED);
            }
            return waiting.remove();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until another one can serve the name, unless there are streams which go on: they keep it. */
    @Override
    public void close() {
        boolean unused;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            waiting.forEach(BlockingStream::reset);
            waiting.clear();
            changed.signalAll();
            unused = !ExitFlush.hasOpen(this);
        } finally {
            lock.unlock();
        }
        Future<?> ended = drain();
        if (unused) {
            ended.awaitUninterruptibly(LAST_MILLIS);
        }
    }

    /** Its connections end when their streams have. */
    private Future<?> drain() {
        server.close();
        serving.drain().addListener(drained -> {
            ExitFlush.remove(this);
            end();
        });
        return loops.terminationFuture();
    }

    @Override
    public void bind(SocketAddress endpoint, int backlog) throws IOException {
        throw new SocketException("the socket is already bound to " + describe());
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return null; // there is none of IP
    }

    @Override
    public int getLocalPort() {
        return -1;
    }

    @Override
    public void setSoTimeout(int milliseconds) {
        if (milliseconds < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeout = milliseconds;
    }

    @Override
    public int getSoTimeout() {
        return timeout;
    }

    @Override
    public String toString() {
        return "ServerSocket[" + describe() + "]";
    }
}
