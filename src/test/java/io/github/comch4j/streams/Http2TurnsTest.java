package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Streams that send at the same time. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by what is not sent
class Http2TurnsTest {
    private static final int DATA = 0;
    private static final int HEADER = 9;
    private static final int BEHIND = 48 << 10;

    @Test
    void streamsThatCompeteSendLargeFramesInTurns() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Http2.opening(channel.pipeline(), PeerLimits.USUAL, new ChannelInboundHandlerAdapter());
        ByteBuf settings =
                Unpooled.buffer().writeMedium(6).writeByte(4).writeByte(0).writeInt(0);
        channel.writeInbound(settings.writeShort(5).writeInt(64 << 10)); // frames of up to 64 KiB
        send(channel, PeerLimits.FIRST_WINDOW); // nobody can send any more
        send(channel, BEHIND);
        send(channel, BEHIND);
        channel.releaseOutbound();
        channel.writeInbound(Unpooled.buffer()
                .writeMedium(4)
                .writeByte(8)
                .writeByte(0)
                .writeInt(0)
                .writeInt(1 << 20)); // now they can
        List<Integer> frames = dataFrames(channel);
        assertThat(frames.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * BEHIND);
        assertThat(frames).allSatisfy(length -> assertThat(length).isBetween(8 << 10, BEHIND - 1));
        channel.finishAndReleaseAll();
    }

    private static void send(EmbeddedChannel channel, int length) {
        var opening = new Http2StreamChannelBootstrap(channel)
                .handler(new ChannelInboundHandlerAdapter())
                .open();
        channel.runPendingTasks();
        Http2StreamChannel stream = opening.getNow();
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(Protocol.request("name")));
        stream.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(new byte[length])));
        channel.runPendingTasks();
    }

    private static List<Integer> dataFrames(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
            all.writeBytes(each);
            each.release();
        }
        List<Integer> lengths = new ArrayList<>();
        while (all.isReadable()) {
            int length = all.readUnsignedMedium();
            if (all.readUnsignedByte() == DATA) {
                lengths.add(length);
            }
            all.skipBytes(HEADER - 4 + length);
        }
        all.release();
        return lengths;
    }
}
