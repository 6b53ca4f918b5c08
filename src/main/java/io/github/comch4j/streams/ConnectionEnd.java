package io.github.comch4j.streams;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The last handler of a connection: tells what becomes of it, and ends it when the peer breaks the protocol. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class ConnectionEnd extends ChannelInboundHandlerAdapter {
    private static final long GREETING_SECONDS = 10;

    private final ConnectionWatch watch;
    private boolean ready;
    private @Nullable Throwable failure;

    ConnectionEnd(ConnectionWatch watch) {
        this.watch = watch;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.executor()
                .schedule(
                        () -> {
                            if (!ready) {
                                failure = new StreamRefusedException(
                                        StreamRefusedException.BAD_REQUEST, "the peer has sent nothing");
                                context.channel().unsafe().close(context.voidPromise());
                            }
                        },
                        GREETING_SECONDS,
                        TimeUnit.SECONDS);
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof Http2SettingsFrame && !ready) {
                ready = true;
                watch.ready(context.channel());
            } else if (message instanceof Http2GoAwayFrame goAway) {
                if (goAway.errorCode() != 0 && failure == null) {
                    failure = new StreamRefusedException(
                            StreamRefusedException.BAD_REQUEST,
                            "the peer ends the connection: "
                                    + Protocol.printable(goAway.content().toString(StandardCharsets.US_ASCII)));
                }
                watch.draining(context.channel());
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** An error of the whole connection; Netty's codec ends it where HTTP/2 says so. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) == null) {
            context.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        watch.ended(context.channel(), failure);
        context.fireChannelInactive();
    }
}
