package examples;

import io.github.comch4j.core.PciAddress;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.netty.ComchServerChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;

/** Netty's echo, between host and DPU. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
public final class NettyEcho {
    private NettyEcho() {}

    /** Sends back what comes. */
    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    // @start region="loop"
    /** One thread for any number of channels. */
    public static EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
    }
    // @end

    // @start region="server"
    /** On the DPU. */
    public static Channel serve(EventLoopGroup loop, String service) {
        var address = ComchAddress.of(
                PciAddress.of("0000:03:00.0"), // the DPU's own device
                PciAddress.of("0000:b1:00.0"), // whom it serves: a function of the host
                service);
        return new ServerBootstrap()
                .group(loop)
                .channel(ComchServerChannel.class)
                .childHandler(new Echo())
                .bind(address)
                .syncUninterruptibly()
                .channel();
    }
    // @end

    // @start region="client"
    /** On the host. */
    public static Channel connect(EventLoopGroup loop, String service, ChannelHandler handler) {
        return new Bootstrap()
                .group(loop)
                .channel(ComchChannel.class)
                .handler(handler)
                .connect(ComchAddress.of(PciAddress.of("0000:b1:00.0"), service))
                .syncUninterruptibly()
                .channel();
    }
    // @end
}
