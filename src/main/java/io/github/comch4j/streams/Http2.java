package io.github.comch4j.streams;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.WeightedFairQueueByteDistributor;
import io.netty.handler.flush.FlushConsolidationHandler;

/** Makes a channel over Comch a connection of HTTP/2. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
final class Http2 {
    private static final int LARGEST_FRAME = 64 << 10;
    private static final int LONGEST_HEADERS = 4 << 10;
    /** A client that hangs up resets its stream: many do so, and too many are a flood. */
    private static final int RESETS = 20_000;

    private static final int RESETS_SECONDS = 10;
    /** What a stream sends before it is another one's turn: at Netty's 1 KiB, most of the time goes into frames. */
    private static final int TURN = 32 << 10;

    private Http2() {}

    /** The end that opens streams. */
    static void opening(ChannelPipeline pipeline, PeerLimits limits, ChannelHandler last) {
        Http2Settings settings = settings(limits).pushEnabled(false).maxConcurrentStreams(0);
        add(pipeline, new Codec(false), settings, limits, new Unwanted(), last);
    }

    /** The end that streams are opened at; {@code stream} is told of each. */
    static void serving(ChannelPipeline pipeline, PeerLimits limits, ChannelHandler stream, ChannelHandler last) {
        Http2Settings settings = settings(limits).maxConcurrentStreams(limits.streams());
        add(pipeline, new Codec(true), settings, limits, stream, last);
    }

    private static Http2Settings settings(PeerLimits limits) {
        return new Http2Settings()
                .initialWindowSize(limits.window())
                .maxFrameSize(LARGEST_FRAME)
                .maxHeaderListSize(LONGEST_HEADERS);
    }

    private static void add(
            ChannelPipeline pipeline,
            Http2FrameCodecBuilder codec,
            Http2Settings settings,
            PeerLimits limits,
            ChannelHandler stream,
            ChannelHandler last) {
        // A stream's bytes go to other threads while the codec adds to the buffer that they are slices of. The buffers
        // of Netty's adaptive allocator, the default, have one position for both (4.2.17): bytes would be lost.
        pipeline.channel().config().setAllocator(PooledByteBufAllocator.DEFAULT);
        codec.initialSettings(settings)
                .gracefulShutdownTimeoutMillis(limits.drain().toMillis())
                .decoderEnforceMaxRstFramesPerWindow(RESETS, RESETS_SECONDS)
                .encoderEnforceMaxRstFramesPerWindow(RESETS, RESETS_SECONDS);
        pipeline.addLast(
                new FlushConsolidationHandler(FlushConsolidationHandler.DEFAULT_EXPLICIT_FLUSH_AFTER_FLUSHES, true),
                codec.build(),
                // where the side that has connected serves, Netty takes a first stream for an upgrade
                new Http2MultiplexHandler(stream, new Unwanted()),
                new WideWindow(limits),
                last);
    }

    /** Netty's, but that streams take longer turns. */
    private static final class Codec extends Http2FrameCodecBuilder {
        Codec(boolean server) {
            server(server);
        }

        @Override
        protected Http2FrameCodec build(
                Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
            Http2Connection connection = encoder.connection();
            WeightedFairQueueByteDistributor turns = new WeightedFairQueueByteDistributor(connection);
            turns.allocationQuantum(TURN);
            connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, turns));
            return super.build(decoder, encoder, settings);
        }
    }

    /** Has the connection's window so wide that each stream is held back by its own only. */
    private static final class WideWindow extends ChannelInboundHandlerAdapter {
        private final PeerLimits limits;

        WideWindow(PeerLimits limits) {
            this.limits = limits;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            int more = limits.connectionWindow() - PeerLimits.FIRST_WINDOW;
            if (more > 0) {
                context.writeAndFlush(new DefaultHttp2WindowUpdateFrame(more), context.voidPromise());
            }
            context.fireChannelActive();
        }
    }

    /** A stream that the other end has no right to open. */
    @ChannelHandler.Sharable
    private static final class Unwanted extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            context.channel().unsafe().closeForcibly();
        }
    }
}
