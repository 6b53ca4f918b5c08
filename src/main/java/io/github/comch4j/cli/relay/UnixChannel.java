package io.github.comch4j.cli.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FileRegion;
import io.netty.channel.nio.AbstractNioByteChannel;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket for a loop of Netty's NIO, whose directions end one by one. That of Netty is closed at the end of its
 * input, and that of its native transport for epoll fails when it has much to write after that (4.2.17).
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class UnixChannel extends AbstractNioByteChannel implements DuplexChannel {
    private final DefaultChannelConfig config = new DefaultChannelConfig(this) {
        @Override
        protected void autoReadCleared() {
            clearReadPending();
        }
    };
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;

    /** One that is going to connect. */
    UnixChannel() throws IOException {
        this(SocketChannel.open(StandardProtocolFamily.UNIX));
    }

    /** One that has connected. */
    UnixChannel(SocketChannel socket) {
        super(null, socket);
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    protected SocketChannel javaChannel() {
        return (SocketChannel) super.javaChannel();
    }

    @Override
    public boolean isActive() {
        return isOpen() && javaChannel().isConnected();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return null; // that of a client has no name
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        try {
            return javaChannel().getRemoteAddress();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected boolean doConnect(SocketAddress remote, @Nullable SocketAddress local) throws IOException {
        if (javaChannel().connect(remote)) {
            return true;
        }
        addAndSubmit(NioIoOps.CONNECT);
        return false;
    }

    @Override
    protected void doFinishConnect() throws IOException {
        javaChannel().finishConnect();
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doClose() throws Exception {
        super.doClose();
        javaChannel().close();
    }

    @Override
    protected void doBeginRead() throws Exception {
        if (!inputShutdown) {
            super.doBeginRead();
        }
    }

    @Override
    protected int doReadBytes(ByteBuf buffer) throws IOException {
        int most = buffer.writableBytes();
        unsafe().recvBufAllocHandle().attemptedBytesRead(most);
        int read = buffer.writeBytes(javaChannel(), most);
        if (read >= 0) {
            return read;
        }
        if (!inputShutdown) {
            inputShutdown = true;
            removeAndSubmit(readOps);
            eventLoop().execute(() -> pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE));
        }
        return 0; // the other direction goes on
    }

    @Override
    protected int doWriteBytes(ByteBuf buffer) throws IOException {
        return buffer.readBytes(javaChannel(), buffer.readableBytes());
    }

    @Override
    protected long doWriteFileRegion(FileRegion region) throws IOException {
        return region.transferTo(javaChannel(), region.transferred());
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        outputShutdown = true;
        javaChannel().shutdownOutput();
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException());
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        Runnable task = () -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        if (eventLoop().inEventLoop()) {
            task.run();
        } else {
            eventLoop().execute(task);
        }
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return close();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return close(promise);
    }
}
