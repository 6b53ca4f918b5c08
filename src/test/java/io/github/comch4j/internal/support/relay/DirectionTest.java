package io.github.comch4j.internal.support.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A source and a sink with a loop each, whose steps come in the order that a test says. */
class DirectionTest {
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
    private final Source source = new Source();

    /** What the sink's loop does when the source's has decided to pause and has not done so. */
    private Runnable meanwhile = () -> {};

    private final class Source extends EmbeddedChannel {
        private ChannelConfig config; // the superclass asks for it before this class has a say

        @Override
        public ChannelConfig config() {
            if (config == null) {
                config = new DefaultChannelConfig(this) {
                    @Override
                    public ChannelConfig setAutoRead(boolean wanted) {
                        if (!wanted) {
                            meanwhile.run();
                        }
                        return super.setAutoRead(wanted);
                    }
                };
            }
            return config;
        }
    }

    @BeforeEach
    void join() {
        source.pipeline().addLast(new Direction(null, source, sink)); // of a splice, that nothing happens to
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

    /** The sink's loop writes all in the moment in which the source's pauses: nothing is left that would resume it. */
    @Test
    void aSourceIsReadAgainWhenAllGoesOutWhileItPauses() {
        arrive(2);
        meanwhile = () -> goOut(2);
        arrive(1);
        assertThat(waiting).hasSize(1);
        assertThat(source.config().isAutoRead()).isTrue();
    }
}
