package io.github.comch4j.streams;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import org.jspecify.annotations.Nullable;

/** Half of a splice, in the pipeline of its source. A source is not read while much waits to be written to the sink. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class SpliceDirection extends ChannelInboundHandlerAdapter {
    private static final int MOST = 256 << 10;
    private static final int LEAST = MOST / 2;

    private final Splice splice;
    private final Channel source;
    private final Channel sink;
    private int pending;
    private long bytes;
    private boolean paused;
    private boolean refused; // the sink takes no more
    private @Nullable Future<?> finished; // the source's input has ended, and this when the sink knows

    SpliceDirection(Splice splice, Channel source, Channel sink) {
        this.splice = splice;
        this.source = source;
        this.sink = sink;
    }

    Channel sink() {
        return sink;
    }

    long bytes() {
        return bytes;
    }

    boolean hasEnded() {
        return finished != null;
    }

    boolean isFinished() {
        Future<?> ending = finished;
        return ending != null && ending.isDone();
    }

    void whenFinished(Runnable action) {
        Future<?> ending = finished;
        if (ending != null) {
            ending.addListener(done -> action.run());
        }
    }

    boolean isRefused() {
        return refused;
    }

    /** What comes is thrown away from now on. */
    void refuse() {
        refused = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf part = (ByteBuf) message;
        int length = part.readableBytes();
        if (refused || finished != null) {
            part.release();
            return;
        }
        bytes += length;
        pending += length;
        if (pending > MOST) {
            source.config().setAutoRead(false);
            paused = true;
        }
        sink.write(part).addListener((FutureListener<Void>) written -> written(length, written));
    }

    private void written(int length, Future<?> written) {
        pending -= length;
        if (!written.isSuccess() && !refused) {
            refused = true;
            splice.refused();
        }
        if (paused && pending <= LEAST) {
            paused = false;
            StreamCodec.resume(source);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        sink.flush();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            end();
        } else if (event instanceof Http2ResetFrame reset && reset.errorCode() != Http2Error.NO_ERROR.code()) {
            splice.fail();
        }
        ReferenceCountUtil.release(event);
    }

    private void end() {
        if (finished == null && source.isOpen()) {
            Future<?> ending = splice.finish(sink);
            finished = ending;
            ending.addListener(done -> splice.finished());
        }
    }

    /** Of the source: a read that failed, such as one of a connection that was reset. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (finished == null) {
            splice.fail();
        }
    }
}
