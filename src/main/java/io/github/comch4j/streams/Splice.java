package io.github.comch4j.streams;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.function.Consumer;

/**
 * A stream and a socket of this machine that are one: what comes from either goes to the other, either direction ends
 * by itself, and one that is reset resets the other. Both are on one loop, whose thread does all of it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
public final class Splice {
    private final Http2StreamChannel stream;
    private final DuplexChannel socket;
    private final Consumer<Splice> ended;
    private final SpliceDirection toSocket;
    private final SpliceDirection toStream;
    private boolean reset;
    private int open = 2;

    private Splice(Http2StreamChannel stream, DuplexChannel socket, Consumer<Splice> ended) {
        this.stream = stream;
        this.socket = socket;
        this.ended = ended;
        this.toSocket = new SpliceDirection(this, stream, socket);
        this.toStream = new SpliceDirection(this, socket, stream);
    }

    /**
     * Options that the socket must have: so that it shows an end of its input, and what it has sent before an error.
     */
    public static <C extends Channel> C prepare(C socket) {
        socket.config().setOption(ChannelOption.AUTO_READ, false);
        socket.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        socket.config().setOption(ChannelOption.AUTO_CLOSE, false);
        return socket;
    }

    /**
     * Joins them, and begins to read both.
     *
     * @param stream as a {@link StreamOpener} or an {@link IncomingStream} gives it, on its loop's thread
     * @param socket {@linkplain #prepare prepared}
     * @param ended runs when both are closed
     */
    public static void join(Http2StreamChannel stream, DuplexChannel socket, Consumer<Splice> ended) {
        Splice splice = new Splice(stream, socket, ended);
        stream.pipeline().addLast(splice.toSocket);
        socket.pipeline().addLast(splice.toStream);
        stream.closeFuture().addListener(closed -> splice.lost(splice.toSocket, splice.toStream));
        socket.closeFuture().addListener(closed -> splice.lost(splice.toStream, splice.toSocket));
        stream.config().setAutoRead(true);
        socket.config().setAutoRead(true);
    }

    /** Bytes that have come from the stream. */
    public long fromStream() {
        return toSocket.bytes();
    }

    /** Bytes that have gone to it. */
    public long toStream() {
        return toStream.bytes();
    }

    /** Whether it has ended otherwise than by the ends of both inputs. */
    public boolean wasReset() {
        return reset;
    }

    /** Ends one side's output, after all that was written to it. */
    ChannelFuture finish(Channel sink) {
        if (sink == stream) {
            return StreamCodec.finish(stream);
        }
        ChannelFuture shut = socket.newPromise();
        // a shutdown throws away what has not been written yet
        socket.writeAndFlush(socket.alloc().buffer(0, 0))
                .addListener(written -> socket.shutdownOutput()
                        .addListener(done -> ((io.netty.channel.ChannelPromise) shut).trySuccess()));
        return shut;
    }

    /** A direction is at its end, in good order: its source said so, and its sink was told. */
    void finished() {
        if (toSocket.isFinished() && toStream.isFinished()) {
            socket.close(); // the stream closes itself
        } else {
            stopIfUseless(toSocket, toStream);
            stopIfUseless(toStream, toSocket);
        }
    }

    /** One side takes no more. */
    void refused() {
        stopIfUseless(toSocket, toStream);
        stopIfUseless(toStream, toSocket);
    }

    /** Nobody takes what {@code sends} carries, and the other direction is complete. */
    private void stopIfUseless(SpliceDirection sends, SpliceDirection complete) {
        if (sends.isRefused() && complete.isFinished()) {
            socket.close();
            StreamCodec.reset(stream, Http2Error.NO_ERROR);
        }
    }

    /** A side failed: so does the other. */
    void fail() {
        reset = true;
        if (stream.isActive()) {
            StreamCodec.reset(stream, Http2Error.CONNECT_ERROR);
        }
        resetSocket(socket);
    }

    /** Closes a socket so that its peer knows that something is missing. */
    public static void resetSocket(Channel socket) {
        if (socket.isOpen() && socket.config() instanceof SocketChannelConfig) {
            socket.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        socket.close();
    }

    /** A side is closed; {@code from} is what came from it, {@code to} what goes to it. */
    private void lost(SpliceDirection from, SpliceDirection to) {
        if (from.hasEnded()) {
            to.refuse();
            from.whenFinished(() -> {
                if (from.sink() == socket) {
                    socket.close();
                } else if (stream.isActive() && !to.hasEnded()) {
                    StreamCodec.reset(stream, Http2Error.NO_ERROR);
                }
            });
        } else {
            fail();
        }
        if (--open == 0) {
            ended.accept(this);
        }
    }
}
