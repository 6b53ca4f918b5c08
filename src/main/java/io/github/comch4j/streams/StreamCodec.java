package io.github.comch4j.streams;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;

/** A stream of frames as one of bytes: an input that has ended is told as sockets tell it. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class StreamCodec extends ChannelDuplexHandler {
    /** What is written to end the output. */
    private static final Object END = new Object();

    /** Ends the output when what was written has gone out; the other direction goes on. */
    static ChannelFuture finish(Http2StreamChannel stream) {
        return stream.writeAndFlush(END);
    }

    /** Ends both directions, and tells the peer that this is no end as it should be. */
    static void reset(Http2StreamChannel stream, Http2Error error) {
        stream.writeAndFlush(new DefaultHttp2ResetFrame(error), stream.voidPromise());
    }

    /** Has a channel read on after a pause, a stream or a socket. Any thread. */
    static void resume(Channel source) {
        source.config().setAutoRead(true);
        // what a stream has read is told to the peer, which Netty writes with a read and does not always flush
        source.flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        boolean last;
        if (message instanceof Http2DataFrame data) {
            last = data.isEndStream();
            ByteBuf bytes = data.content();
            if (bytes.isReadable()) {
                context.fireChannelRead(bytes);
            } else {
                bytes.release();
            }
        } else {
            last = message instanceof Http2HeadersFrame trailer && trailer.isEndStream();
            ReferenceCountUtil.release(message);
        }
        if (last) {
            context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message == END) {
            context.write(new DefaultHttp2DataFrame(true), promise);
        } else if (message instanceof ByteBuf bytes) {
            context.write(new DefaultHttp2DataFrame(bytes), promise);
        } else {
            context.write(message, promise);
        }
    }
}
