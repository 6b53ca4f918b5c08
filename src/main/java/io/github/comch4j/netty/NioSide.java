package io.github.comch4j.netty;

import io.github.comch4j.internal.call.Descriptors;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Sleeper;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/**
 * The NIO channels of a loop that has an engine as well. Netty's handler for them is asked for what is ready only; the
 * loop sleeps on the selector's descriptor beside the engine's. Belongs to the loop's thread, but for {@link #wakeup}.
 */
final class NioSide {
    /** Has Netty's handler look, and not wait. */
    private static final IoHandlerContext NOW = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    };

    private final Selector selector;
    private final int descriptor;
    private final IoHandler handler;

    /** For a loop; unless it {@code knows} the selector's descriptor it looks at the engine each millisecond. */
    NioSide(ThreadAwareExecutor loop, boolean knows) {
        try {
            AbstractSelector opened = SelectorProvider.provider().openSelector();
            selector = opened;
            descriptor = knows ? Descriptors.ofSelector(opened) : -1;
            handler = NioIoHandler.newFactory(new OneSelector(opened)).newHandler(loop);
        } catch (IOException e) {
            throw new ChannelException("failed to open a selector", e);
        }
    }

    boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    /** Handles what is ready now; returns how many channels that were. */
    int run() {
        return handler.run(NOW);
    }

    /** Sleeps until an event of the engine or of a channel; null if the selector's descriptor is not known. */
    @Nullable
    Sleeper sleeper(Engine engine) {
        return descriptor < 0 ? null : Sleeper.beside(engine, descriptor, this::wakeup);
    }

    /** Sleeps until an event of a channel, with nothing else to sleep on; to the next millisecond at most. */
    void sleep(long nanos) {
        try {
            selector.select(nanos / 1_000_000 + 1);
        } catch (IOException e) {
            throw new ChannelException("failed to sleep on a selector", e);
        }
    }

    /** Ends the sleep, or has the next one end at once. Any thread. */
    void wakeup() {
        selector.wakeup(); // the handler's own is for its own sleep, which it never begins
    }

    void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    void destroy() {
        handler.destroy();
    }

    /** Gives Netty's handler the selector whose descriptor is known, once. */
    private static final class OneSelector extends SelectorProvider {
        private final SelectorProvider others = SelectorProvider.provider();
        private @Nullable AbstractSelector selector;

        OneSelector(AbstractSelector selector) {
            this.selector = selector;
        }

        @Override
        public AbstractSelector openSelector() throws IOException {
            AbstractSelector only = selector;
            if (only == null) {
                throw new IOException("an event loop cannot replace its selector");
            }
            selector = null;
            return only;
        }

        @Override
        public DatagramChannel openDatagramChannel() throws IOException {
            return others.openDatagramChannel();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
            return others.openDatagramChannel(family);
        }

        @Override
        public Pipe openPipe() throws IOException {
            return others.openPipe();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() throws IOException {
            return others.openServerSocketChannel();
        }

        @Override
        public SocketChannel openSocketChannel() throws IOException {
            return others.openSocketChannel();
        }
    }
}
