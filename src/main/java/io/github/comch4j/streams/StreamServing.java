package io.github.comch4j.streams;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.function.Consumer;

/** The end of Comch connections at which the peer opens streams: looks at each request, and has it answered. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
@ChannelHandler.Sharable
public final class StreamServing extends ChannelInitializer<Channel> {
    private final PeerLimits limits;
    private final ConnectionWatch watch;
    private final Consumer<IncomingStream> requests;
    private final ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    private volatile boolean draining;

    /**
     * To be the handler of channels over Comch.
     *
     * @param requests gets each stream that the peer wants to open, on the loop's thread
     */
    public StreamServing(PeerLimits limits, ConnectionWatch watch, Consumer<IncomingStream> requests) {
        this.limits = limits;
        this.watch = watch;
        this.requests = requests;
    }

    /** Takes no streams any more, and ends the connections when those that there are have finished, or in some time. */
    public Future<Void> drain() {
        draining = true;
        return all.close();
    }

    @Override
    protected void initChannel(Channel channel) {
        if (draining || all.size() >= limits.connections()) {
            channel.unsafe().closeForcibly();
            return;
        }
        all.add(channel);
        Http2.serving(
                channel.pipeline(),
                limits,
                new ChannelInitializer<Http2StreamChannel>() {
                    @Override
                    protected void initChannel(Http2StreamChannel stream) {
                        stream.config().setAutoRead(false);
                        stream.pipeline().addLast(new Request());
                    }
                },
                new ConnectionEnd(watch));
    }

    /** Until the request is there. */
    private final class Request extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.read();
            context.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof Http2HeadersFrame headers) {
                context.pipeline().remove(this);
                asked((Http2StreamChannel) context.channel(), headers);
            } else {
                ReferenceCountUtil.release(message);
            }
        }
    }

    private void asked(Http2StreamChannel stream, Http2HeadersFrame request) {
        CharSequence service = request.headers().authority();
        CharSequence version = request.headers().get(Protocol.VERSION_FIELD);
        IncomingStream incoming = new IncomingStream(stream, service == null ? "" : Protocol.printable(service));
        if (!Protocol.CONNECT.contentEquals(orEmpty(request.headers().method())) || service == null) {
            incoming.refuse(new StreamRefusedException(
                    StreamRefusedException.BAD_REQUEST, "only CONNECT with the name of a service is supported"));
        } else if (!Protocol.VERSION.contentEquals(orEmpty(version))) {
            incoming.refuse(new StreamRefusedException(
                    StreamRefusedException.VERSION,
                    "this end supports only version " + Protocol.VERSION + " of the protocol"));
        } else {
            requests.accept(incoming);
        }
    }

    private static CharSequence orEmpty(CharSequence text) {
        return text == null ? "" : text;
    }
}
