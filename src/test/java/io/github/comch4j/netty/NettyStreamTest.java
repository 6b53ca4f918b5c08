package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import examples.NettyEcho;
import io.github.comch4j.Machine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.WriteBufferWaterMark;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A channel is a stream of bytes, whatever the pieces are in which it is written and read. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the pipeline
@Timeout(60)
class NettyStreamTest extends NettyScene {
    @Test
    void theExampleEchoes() {
        NettyEcho.serve(dpuLoop, name);
        Collector answers = new Collector();
        Channel channel = NettyEcho.connect(hostLoop, name, answers);
        channel.writeAndFlush(buffer("hello".getBytes(StandardCharsets.US_ASCII)))
                .syncUninterruptibly();
        assertThat(answers.await(5)).asString(StandardCharsets.US_ASCII).isEqualTo("hello");
    }

    @Test
    void bytesOfAnyPiecesAreOneStream() {
        bind(Echo::new);
        Collector answers = new Collector();
        Channel channel = connect(answers);
        Random random = new Random(7);
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 500; i++) {
            byte[] piece = new byte[random.nextInt(5) == 0 ? random.nextInt(20_000) : random.nextInt(100)];
            random.nextBytes(piece);
            all.writeBytes(piece);
            ByteBuf part = switch (i % 3) {
                case 0 -> channel.alloc().directBuffer().writeBytes(piece);
                case 1 -> channel.alloc().heapBuffer().writeBytes(piece);
                default ->
                    Unpooled.wrappedBuffer(
                            buffer(piece).slice(0, piece.length / 2),
                            buffer(piece).slice(piece.length / 2, piece.length - piece.length / 2));
            };
            channel.write(part);
            if (random.nextBoolean()) {
                channel.flush();
            }
        }
        channel.flush();
        byte[] expected = new byte[all.readableBytes()];
        all.readBytes(expected);
        assertThat(answers.await(expected.length)).isEqualTo(expected);
    }

    @Test
    void aFileIsWrittenAsARegion(@TempDir Path folder) throws Exception {
        byte[] content = random(300_001);
        File file = Files.write(folder.resolve("file"), content).toFile();
        Collector arrived = new Collector();
        bind(() -> arrived);
        Channel channel = connect(new Collector());
        channel.write(buffer(new byte[] {1, 2, 3}));
        channel.write(new DefaultFileRegion(file, 1, 300_000));
        channel.writeAndFlush(buffer(new byte[] {4})).sync();
        byte[] got = arrived.await(300_004);
        assertThat(got).hasSize(300_004).startsWith(1, 2, 3).endsWith(4);
        assertThat(java.util.Arrays.copyOfRange(got, 3, 300_003))
                .isEqualTo(java.util.Arrays.copyOfRange(content, 1, 300_001));
    }

    @Test
    void manyChannelsShareALoop() {
        bind(Echo::new);
        List<Channel> channels = new ArrayList<>();
        List<Collector> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(new Collector());
            channels.add(connect(answers.get(i)));
        }
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < channels.size(); i++) {
                channels.get(i).writeAndFlush(buffer(random(1000 + i)));
            }
        }
        for (int i = 0; i < channels.size(); i++) {
            byte[] piece = random(1000 + i);
            assertThat(answers.get(i).await(10 * piece.length))
                    .hasSize(10 * piece.length)
                    .startsWith(piece)
                    .endsWith(piece);
        }
    }

    @Test
    void writabilityFollowsTheWaterMarks() throws Exception {
        Collector arrived = new Collector();
        server(() -> arrived)
                .childOption(ChannelOption.AUTO_READ, false)
                .bind(service)
                .sync();
        AtomicInteger changes = new AtomicInteger();
        Channel channel = client(new Collector() {
                    @Override
                    public void channelWritabilityChanged(ChannelHandlerContext context) {
                        changes.incrementAndGet();
                    }
                })
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(100_000, 200_000))
                .connect(service)
                .sync()
                .channel();
        int written = 0;
        ChannelFuture last = null;
        while (channel.isWritable() || written < 8 << 20) {
            last = channel.writeAndFlush(buffer(random(50_000)));
            written += 50_000;
            if (!channel.isWritable()) {
                Thread.sleep(1);
            }
        }
        assertThat(channel.isWritable()).isFalse();
        assertThat(last.isDone()).isFalse();
        arrived.channel().config().setAutoRead(true);
        assertThat(last.await(PATIENCE)).isTrue();
        assertThat(last.isSuccess()).isTrue();
        arrived.await(written);
        until("writable again", channel::isWritable);
        assertThat(changes.get()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void whoDoesNotReadMakesThePeerWaitAndNobodyElse() throws Exception {
        List<Collector> arrived = new ArrayList<>();
        server(() -> {
                    Collector next = new Collector();
                    arrived.add(next);
                    return next;
                })
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_RCVBUF, 100_000)
                .bind(service)
                .sync();
        Channel slow = connect(new Collector());
        Channel quick = connect(new Collector());
        until("both", () -> arrived.size() == 2);
        Channel slowEnd = arrived.get(0).channel();
        arrived.get(1).channel().config().setAutoRead(true);
        byte[] much = random(16 << 20);
        ChannelFuture all = slow.writeAndFlush(buffer(much));
        byte[] other = random(1 << 20);
        quick.writeAndFlush(buffer(other)).sync();
        assertThat(arrived.get(1).await(other.length)).isEqualTo(other);
        assertThat(all.isDone()).isFalse();
        assertThat(arrived.get(0).length()).isZero();
        int before = 0;
        for (int reads = 0; reads < 5; reads++) {
            slowEnd.read();
            int least = before + 1;
            until("a read", () -> arrived.get(0).length() >= least);
            before = arrived.get(0).length();
            assertThat(before).isLessThan((reads + 1) * (64 << 10));
        }
        assertThat(all.isDone()).isFalse();
        slowEnd.config().setAutoRead(true);
        assertThat(arrived.get(0).await(much.length)).isEqualTo(much);
        assertThat(all.await(PATIENCE)).isTrue();
        assertThat(slow.isActive()).isTrue();
    }

    @Test
    void aHandlerThatWritesFromAnotherThreadWakesTheLoop() throws Exception {
        bind(Echo::new);
        Collector answers = new Collector();
        Channel channel = connect(answers);
        Path mine = channel.eventLoop().submit(Machine::taskOfThisThread).get();
        Path peers = dpuLoop.submit(Machine::taskOfThisThread).get();
        for (int i = 1; i <= 20; i++) {
            Machine.untilAsleep(mine);
            Machine.untilAsleep(peers);
            channel.writeAndFlush(buffer(new byte[] {(byte) i}));
            answers.await(i);
        }
        CompletableFuture<Void> later = new CompletableFuture<>();
        channel.eventLoop().schedule(() -> later.complete(null), 30, java.util.concurrent.TimeUnit.MILLISECONDS);
        later.get(PATIENCE, java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    @Test
    void theOptionsAreThoseOfTheChannel() throws Exception {
        AtomicBoolean served = new AtomicBoolean();
        Channel server = server(() -> {
                    served.set(true);
                    return new Echo();
                })
                .option(ComchChannelOption.MAX_MESSAGE_SIZE, 512)
                .option(ComchChannelOption.SEND_TASKS, 8)
                .option(ComchChannelOption.RECEIVE_QUEUE_SIZE, 16)
                .option(ChannelOption.SO_BACKLOG, 7)
                .bind(service)
                .sync()
                .channel();
        Collector answers = new Collector();
        Channel channel = client(answers)
                .option(ComchChannelOption.MAX_MESSAGE_SIZE, 512)
                .option(ComchChannelOption.SEND_TASKS, 4)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .connect(service)
                .sync()
                .channel();
        byte[] much = random(200_000);
        channel.writeAndFlush(buffer(much));
        assertThat(answers.await(much.length)).isEqualTo(much);
        assertThat(served).isTrue();
        assertThat(server.config().getOptions())
                .containsEntry(ComchChannelOption.MAX_MESSAGE_SIZE, 512)
                .containsEntry(ComchChannelOption.SEND_TASKS, 8)
                .containsEntry(ComchChannelOption.RECEIVE_QUEUE_SIZE, 16)
                .containsEntry(ChannelOption.SO_BACKLOG, 7)
                .doesNotContainKey(ChannelOption.SO_KEEPALIVE);
        assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
        assertThat(channel.config().setOption(ChannelOption.SO_SNDBUF, 1)).isFalse();
        assertThat(channel.localAddress().toString()).startsWith("comch:" + Machine.HOST + "/" + name + "#");
    }
}
