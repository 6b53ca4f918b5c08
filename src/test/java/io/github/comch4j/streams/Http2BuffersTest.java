package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The buffers of connections, of which one thread writes a part to a socket while another one adds to them. */
@Timeout(60)
class Http2BuffersTest {
    private static final int LENGTH = 64;
    private static final int ROUNDS = 100_000;

    /** Takes all. */
    private static final class Sink implements GatheringByteChannel {
        @Override
        public int write(ByteBuffer bytes) {
            int length = bytes.remaining();
            bytes.position(bytes.limit());
            return length;
        }

        @Override
        public long write(ByteBuffer[] all, int from, int count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] all) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void aPartIsWrittenWhileTheBufferGrows() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel();
        Http2.opening(channel.pipeline(), PeerLimits.USUAL, new ChannelInboundHandlerAdapter());
        ByteBufAllocator allocator = channel.config().getAllocator();
        ByteBuf whole = allocator.directBuffer(16 << 10).writeZero(LENGTH);
        ByteBuf part = whole.retainedSlice(0, LENGTH);
        ByteBuf more = allocator.directBuffer(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            more.writeByte(7);
        }
        ByteBuf slice = more.slice(0, LENGTH); // as a part of what has arrived is
        ByteBuf expected = more.copy();
        AtomicBoolean ends = new AtomicBoolean();
        Thread writer = new Thread(() -> writeAgainAndAgain(part, ends));
        writer.start();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                whole.setZero(LENGTH, LENGTH).writerIndex(LENGTH);
                whole.writeBytes(slice, 0, LENGTH);
                assertThat(whole.slice(LENGTH, LENGTH).equals(expected))
                        .as("round %d", round)
                        .isTrue();
            }
        } finally {
            ends.set(true);
            writer.join();
            part.release();
            whole.release();
            more.release();
            expected.release();
            channel.finishAndReleaseAll();
        }
    }

    private static void writeAgainAndAgain(ByteBuf part, AtomicBoolean ends) {
        Sink sink = new Sink();
        try {
            while (!ends.get()) {
                part.getBytes(0, sink, LENGTH);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
