package io.github.comch4j.streams;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.netty.ComchChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a peer sends that breaks the protocol costs its own connection, and nobody else's. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
@Timeout(120)
class PeerBytesTest extends RelayScene {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
    private static final byte[] SETTINGS = frame(4, 0, 0, new byte[0]);
    private static final int SEEDS = 150;
    private static final int HEAD = 9; // bytes of a frame, before what it carries
    private static final int HEADERS = 1;
    private static final int GOAWAY = 7;

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        for (int part : new int[] {
            payload.length >> 16,
            payload.length >> 8,
            payload.length,
            type,
            flags,
            stream >> 24,
            stream >> 16,
            stream >> 8,
            stream
        }) {
            frame.write(part);
        }
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    private static byte[] all(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @ChannelHandler.Sharable
    private static final class Ignoring extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private Channel raw(byte[] bytes) {
        Channel channel = new Bootstrap()
                .group(hostLoop)
                .channel(ComchChannel.class)
                .handler(new Ignoring())
                .connect(service)
                .syncUninterruptibly()
                .channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        return channel;
    }

    private static void echoes(BlockingStream stream) throws IOException {
        write(stream, new byte[] {1, 2, 3});
        assertThat(read(stream, 3)).containsExactly(1, 2, 3);
    }

    @Test
    void whoBreaksTheProtocolLosesItsConnection() throws Exception {
        serveBlocking(RelayScene::echo);
        BlockingStream good = open(opener());
        byte[] headers = {(byte) 0x88}; // ":status: 200", which is no request
        List<byte[]> wrong = List.of(
                "GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII),
                all(PREFACE, frame(6, 0, 0, new byte[8])), // no SETTINGS first
                all(PREFACE, SETTINGS, frame(0, 0, 1, new byte[10])), // DATA of an idle stream
                all(PREFACE, SETTINGS, frame(1, 5, 2, headers)), // HEADERS of a stream of the server's
                all(PREFACE, SETTINGS, frame(8, 0, 0, new byte[] {0x7f, -1, -1, -1})), // a window beyond its bound
                all(PREFACE, SETTINGS, frame(9, 0, 1, headers)), // CONTINUATION of nothing
                all(PREFACE, SETTINGS, frame(3, 0, 0, new byte[4])), // RST_STREAM of the connection
                all(PREFACE, SETTINGS, new byte[] {-1, -1, -1, 0, 0, 0, 0, 0, 1})); // a frame that is too long
        for (byte[] bytes : wrong) {
            assertThat(raw(bytes).closeFuture().await(PATIENCE)).isTrue();
            echoes(good);
        }
    }

    @Test
    void noBytesDisturbTheOthers() throws Exception {
        serveBlocking(RelayScene::echo);
        BlockingStream good = open(opener());
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            if (random.nextInt(8) > 0) {
                bytes.writeBytes(PREFACE);
                bytes.writeBytes(SETTINGS);
            }
            for (int i = random.nextInt(20); i >= 0; i--) {
                byte[] payload = new byte[random.nextInt(random.nextBoolean() ? 20 : 2000)];
                random.nextBytes(payload);
                bytes.writeBytes(frame(random.nextInt(11), random.nextInt(256), random.nextInt(6), payload));
            }
            raw(bytes.toByteArray()).close().await(PATIENCE);
            echoes(good);
        }
        echoes(open(opener()));
    }

    @Test
    void aServerThatTalksSomethingElseIsNoService() throws Exception {
        bind(new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
                return true;
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.wrappedBuffer(random(3000)));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
            }
        });
        StreamOpener opener = opener();
        assertThatThrownBy(() -> opener.open(name, Duration.ofSeconds(1), BlockingStream::of)
                        .sync())
                .isInstanceOf(StreamRefusedException.class)
                .hasMessageContaining("no connection");
    }

    /** Answers the first request of a connection with its end: it has not begun with that. */
    private static final class Leaving extends ChannelInboundHandlerAdapter {
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.wrappedBuffer(SETTINGS));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            received.writeBytes(ByteBufUtil.getBytes(bytes));
            bytes.release();
            if (hasRequest(received.toByteArray())) {
                received.reset();
                context.writeAndFlush(Unpooled.wrappedBuffer(frame(GOAWAY, 0, 0, new byte[8]))); // no stream, no error
            }
        }

        private static boolean hasRequest(byte[] bytes) {
            for (int at = PREFACE.length; at + HEAD <= bytes.length; ) {
                int length = (bytes[at] & 0xff) << 16 | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff);
                if (bytes[at + 3] == HEADERS) {
                    return true;
                }
                at += HEAD + length;
            }
            return false;
        }
    }

    @Test
    void aRequestThatAPeerHasNotBegunWithHasTheNextConnection() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        StreamServing serving =
                new StreamServing(LIMITS, ConnectionWatch.NONE, incoming -> accept(incoming, RelayScene::echo));
        bind(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(connections.incrementAndGet() <= 2 ? new Leaving() : serving);
            }
        });
        echoes(open(opener()));
        assertThat(connections).hasValue(3);
    }
}
