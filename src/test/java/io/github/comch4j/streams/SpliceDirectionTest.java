package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A source and a sink, whose writes end when a test says. */
class SpliceDirectionTest {
    private static final int PART = 100 << 10;

    /** What was written to the sink and has not gone out. */
    private final ArrayDeque<ChannelPromise> waiting = new ArrayDeque<>();

    private final EmbeddedChannel sink = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            waiting.add(promise);
        }
    });
    private final EmbeddedChannel source = new EmbeddedChannel();

    @BeforeEach
    void join() {
        source.pipeline().addLast(new SpliceDirection(null, source, sink)); // of a splice, that nothing happens to
    }

    private void arrive(int parts) {
        for (int i = 0; i < parts; i++) {
            source.writeInbound(Unpooled.buffer(PART).writeZero(PART));
        }
    }

    private void goOut(int parts) {
        for (int i = 0; i < parts; i++) {
            waiting.remove().setSuccess();
        }
    }

    @Test
    void aSourceIsReadAgainWhenLittleWaits() {
        arrive(2);
        assertThat(source.config().isAutoRead()).isTrue();
        arrive(1);
        assertThat(source.config().isAutoRead()).isFalse();
        goOut(1);
        assertThat(source.config().isAutoRead()).isFalse();
        goOut(1);
        assertThat(source.config().isAutoRead()).isTrue();
    }
}
