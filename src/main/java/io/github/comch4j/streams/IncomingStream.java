package io.github.comch4j.streams;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A stream that the peer wants to open, until it is accepted or refused. Any thread may do that. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
public final class IncomingStream {
    private final Http2StreamChannel stream;
    private final String service;
    private final AtomicBoolean answered = new AtomicBoolean();

    IncomingStream(Http2StreamChannel stream, String service) {
        this.stream = stream;
        this.service = service;
    }

    /** The name that was asked for. */
    public String service() {
        return service;
    }

    /** Whether the peer still waits. */
    public boolean isOpen() {
        return stream.isActive();
    }

    /** The connection that it came on. */
    public Channel connection() {
        return stream.parent();
    }

    /**
     * Opens the stream.
     *
     * @param user gets the stream on its loop's thread, adds a handler for {@link io.netty.buffer.ByteBuf}s to its
     *     pipeline and begins to read
     */
    public void accept(Consumer<Http2StreamChannel> user) {
        answer(() -> {
            stream.writeAndFlush(new DefaultHttp2HeadersFrame(Protocol.accepted()), stream.voidPromise());
            stream.pipeline().addLast(new StreamCodec());
            user.accept(stream);
        });
    }

    /** Does not open it. */
    public void refuse(StreamRefusedException refusal) {
        answer(() -> stream.writeAndFlush(new DefaultHttp2HeadersFrame(Protocol.refused(refusal), true))
                .addListener(ChannelFutureListener.CLOSE));
    }

    private void answer(Runnable action) {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the stream was already answered");
        }
        EventLoop loop = stream.eventLoop();
        if (loop.inEventLoop()) {
            action.run();
        } else {
            loop.execute(action);
        }
    }
}
