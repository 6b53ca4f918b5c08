package io.github.comch4j.netty;

import examples.NettyEcho;
import io.github.comch4j.Machine;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The other process of {@link NettyTwoProcessIT}: serves an echo, or connects to one, and tells what happens. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
final class NettyPeer {
    private NettyPeer() {}

    public static void main(String[] arguments) throws Exception {
        Machine.useEmulation();
        if (arguments[0].equals("serve")) {
            Channel server = NettyEcho.serve(NettyEcho.loop(), arguments[1]);
            System.out.println("ready");
            server.closeFuture().sync();
        } else {
            Channel channel = NettyEcho.connect(NettyEcho.loop(), arguments[1], new ChannelInboundHandlerAdapter() {
                @Override
                public void channelInactive(ChannelHandlerContext context) {
                    System.out.println("inactive");
                }
            });
            channel.writeAndFlush(NettyScene.buffer(new byte[] {1, 2, 3})).sync();
            System.out.println("ready");
            channel.closeFuture().sync();
            System.exit(0);
        }
    }
}
