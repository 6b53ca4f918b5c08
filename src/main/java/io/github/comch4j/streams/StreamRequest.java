package io.github.comch4j.streams;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks for a service on a new stream, until the answer is there. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class StreamRequest<T> extends ChannelInboundHandlerAdapter {
    private final String service;
    private final long deadline;
    private final Function<Http2StreamChannel, T> user;
    private final Promise<T> result;
    private final Runnable again;
    private @Nullable ScheduledFuture<?> timeout;
    private boolean done;

    /** {@code again} runs where the peer has certainly not begun with the request, and there is time left. */
    StreamRequest(
            String service, long deadline, Function<Http2StreamChannel, T> user, Promise<T> result, Runnable again) {
        this.service = service;
        this.deadline = deadline;
        this.user = user;
        this.result = result;
        this.again = again;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(new DefaultHttp2HeadersFrame(Protocol.request(service)))
                .addListener(written -> {
                    if (!written.isSuccess()) {
                        StreamRefusedException refusal = new StreamRefusedException(
                                StreamRefusedException.BUSY,
                                "no more streams on this connection: "
                                        + written.cause().getMessage());
                        failed(refusal);
                    }
                });
        timeout = context.executor()
                .schedule(
                        () -> {
                            failed(new StreamRefusedException(
                                    StreamRefusedException.UNREACHABLE, "the other side has not answered in time"));
                            context.close();
                        },
                        Math.max(0, deadline - System.nanoTime()),
                        TimeUnit.NANOSECONDS);
        context.read();
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof Http2HeadersFrame answer) || done) {
            ReferenceCountUtil.release(message);
            return;
        }
        Http2Headers headers = answer.headers();
        Http2StreamChannel stream = (Http2StreamChannel) context.channel();
        if (!Protocol.ACCEPTED.contentEquals(headers.status() == null ? "" : headers.status())) {
            failed(refusal(headers));
            context.close();
        } else if (result.isCancelled()) {
            context.close();
        } else {
            end();
            stream.pipeline().addLast(new StreamCodec());
            stream.pipeline().remove(this);
            result.trySuccess(user.apply(stream));
        }
    }

    private static StreamRefusedException refusal(Http2Headers headers) {
        CharSequence reason = headers.get(Protocol.REASON_FIELD);
        int status;
        try {
            status = Integer.parseInt(String.valueOf(headers.status()));
        } catch (NumberFormatException e) {
            status = StreamRefusedException.BAD_REQUEST;
        }
        return new StreamRefusedException(
                status, reason == null ? "refused, with status " + status : Protocol.printable(reason));
    }

    /** The peer ends, and has not begun with this. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof Http2GoAwayFrame && !done && System.nanoTime() - deadline < 0) {
            end();
            again.run();
        }
        ReferenceCountUtil.release(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failed(cause);
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failed(new StreamRefusedException(
                StreamRefusedException.UNREACHABLE,
                "the other side has reset the stream, or the connection has ended"));
        context.fireChannelInactive();
    }

    void failed(Throwable cause) {
        if (!done) {
            end();
            result.tryFailure(cause);
        }
    }

    private void end() {
        done = true;
        if (timeout != null) {
            timeout.cancel(false);
        }
    }
}
