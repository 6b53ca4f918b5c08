package io.github.comch4j.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import java.net.SocketAddress;
import java.util.function.UnaryOperator;

/** A channel's unsafe whose {@code register} may choose another loop than it is told, or say why it cannot. */
final class LoopBound implements Channel.Unsafe {
    private final Channel.Unsafe inner;
    private final UnaryOperator<EventLoop> choice;

    /**
     * Around an unsafe.
     *
     * @param choice the loop to register with; throws {@link IllegalStateException} if that cannot be
     */
    LoopBound(Channel.Unsafe inner, UnaryOperator<EventLoop> choice) {
        this.inner = inner;
        this.choice = choice;
    }

    @Override
    public void register(EventLoop eventLoop, ChannelPromise promise) {
        EventLoop chosen;
        try {
            chosen = choice.apply(eventLoop);
        } catch (IllegalStateException e) {
            promise.setFailure(e);
            return;
        }
        inner.register(chosen, promise);
    }

    @Override
    @SuppressWarnings("deprecation")
    public RecvByteBufAllocator.Handle recvBufAllocHandle() {
        return inner.recvBufAllocHandle();
    }

    @Override
    public SocketAddress localAddress() {
        return inner.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return inner.remoteAddress();
    }

    @Override
    public void bind(SocketAddress localAddress, ChannelPromise promise) {
        inner.bind(localAddress, promise);
    }

    @Override
    public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
        inner.connect(remoteAddress, localAddress, promise);
    }

    @Override
    public void disconnect(ChannelPromise promise) {
        inner.disconnect(promise);
    }

    @Override
    public void close(ChannelPromise promise) {
        inner.close(promise);
    }

    @Override
    public void closeForcibly() {
        inner.closeForcibly();
    }

    @Override
    public void deregister(ChannelPromise promise) {
        inner.deregister(promise);
    }

    @Override
    public void beginRead() {
        inner.beginRead();
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        inner.write(message, promise);
    }

    @Override
    public void flush() {
        inner.flush();
    }

    @Override
    public ChannelPromise voidPromise() {
        return inner.voidPromise();
    }

    @Override
    public ChannelOutboundBuffer outboundBuffer() {
        return inner.outboundBuffer();
    }
}
