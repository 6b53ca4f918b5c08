package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams between a host's program and one on the DPU, as TCP has them. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the stream
class StreamsTest extends RelayScene {
    @Test
    void bytesGoBothWaysAndEachDirectionEndsByItself() throws IOException {
        serveBlocking(RelayScene::echo);
        byte[] sent = random(1 << 20);
        try (BlockingStream stream = open(opener())) {
            Thread writer = Thread.startVirtualThread(() -> {
                write(stream, sent);
                stream.shutdownOutput();
            });
            assertSame(readAll(stream), sent);
            assertThat(writer.isAlive() && !stream.isInputEnded()).isFalse();
        }
    }

    @Test
    void anAnswerComesAfterTheEndOfTheQuestion() throws IOException {
        serveBlocking(stream -> {
            byte[] question = readAll(stream);
            write(stream, ("got " + question.length).getBytes(StandardCharsets.UTF_8));
            stream.close();
        });
        try (BlockingStream stream = open(opener())) {
            write(stream, random(300_000));
            stream.shutdownOutput();
            assertThatThrownBy(() -> stream.write(new byte[1], 0, 1))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("output is shutdown");
            assertThat(readAll(stream)).asString().isEqualTo("got 300000");
        }
    }

    @Test
    void whatWasWrittenBeforeACloseArrives() throws IOException {
        byte[] said = random(500_000);
        serveBlocking(stream -> {
            write(stream, said);
            stream.close();
        });
        StreamOpener opener = opener();
        for (int i = 0; i < 20; i++) {
            try (BlockingStream stream = open(opener)) {
                assertSame(readAll(stream), said);
            }
        }
    }

    @Test
    void aResetReachesTheOtherEnd() throws Exception {
        AtomicReference<IOException> seen = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        serveBlocking(stream -> {
            try {
                readAll(stream);
            } catch (IOException e) {
                seen.set(e);
            }
            done.countDown();
        });
        BlockingStream stream = open(opener());
        write(stream, new byte[10]);
        stream.reset();
        assertThat(done.await(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(seen.get()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        assertThatThrownBy(() -> stream.read(new byte[1], 0, 1, 0)).hasMessage("Socket closed");
    }

    @Test
    void aCloseWithoutAnyEndOfTheOthersIsNoReset() throws Exception {
        LinkedBlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        serveBlocking(stream -> {
            seen.add(readAll(stream).length);
            try {
                for (; ; ) {
                    stream.write(new byte[1000], 0, 1000);
                }
            } catch (IOException e) {
                seen.add(e.getMessage());
            }
        });
        BlockingStream stream = open(opener());
        write(stream, new byte[200_000]);
        stream.close();
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo(200_000);
        assertThat((String) seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).containsAnyOf("Broken pipe", "reset");
    }

    @Test
    void whoIsRefusedLearnsWhy() {
        serve(incoming -> incoming.refuse(new StreamRefusedException(
                StreamRefusedException.NO_SERVICE, "no service \"" + incoming.service() + "\"")));
        StreamOpener opener = opener();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> open(opener, "other"))
                    .isInstanceOfSatisfying(StreamRefusedException.class, refusal -> {
                        assertThat(refusal.status()).isEqualTo(StreamRefusedException.NO_SERVICE);
                        assertThat(refusal.reason()).isEqualTo("no service \"other\"");
                    });
        }
    }

    @Test
    void whoFindsNobodyWaitsForSomeTime() throws Exception {
        StreamOpener opener = opener();
        assertThatThrownBy(() -> opener.open(name, Duration.ofMillis(300), BlockingStream::of)
                        .sync())
                .isInstanceOfSatisfying(
                        StreamRefusedException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(StreamRefusedException.NO_CONNECTION))
                .hasMessageContaining(name);
        var early = opener.open(name, Duration.ofMillis(PATIENCE), BlockingStream::of);
        serveBlocking(RelayScene::echo);
        BlockingStream stream = early.sync().getNow();
        write(stream, new byte[] {42});
        assertThat(read(stream, 1)).containsExactly(42);
    }

    @Test
    void aReadEndsInItsTime() throws IOException {
        serveBlocking(stream -> {});
        BlockingStream stream = open(opener());
        assertThatThrownBy(() -> stream.read(new byte[1], 0, 1, 1_000_000)).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aCloseWakesWhoWaits() throws Exception {
        serveBlocking(stream -> {});
        BlockingStream stream = open(opener());
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Thread reader = Thread.startVirtualThread(() -> {
            try {
                stream.read(new byte[1], 0, 1, 0);
            } catch (IOException e) {
                seen.add(e.getMessage());
            }
        });
        until("a reader that waits", () -> reader.getState() == Thread.State.WAITING);
        stream.close();
        assertThat(seen.poll(PATIENCE, TimeUnit.MILLISECONDS)).isEqualTo("Socket closed");
    }

    @Test
    void whoDoesNotReadStopsNobodyElseAndItsWriterWaits() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        LinkedBlockingQueue<byte[]> slow = new LinkedBlockingQueue<>();
        serveBlocking(stream -> {
            if (read(stream, 1)[0] == 's') {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                slow.add(readAll(stream));
            } else {
                echo(stream);
            }
        });
        StreamOpener opener = opener();
        BlockingStream unread = open(opener);
        byte[] much = random(8 << 20);
        Thread writer = Thread.startVirtualThread(() -> {
            write(unread, new byte[] {'s'});
            write(unread, much);
            unread.shutdownOutput();
        });
        for (int i = 0; i < 100; i++) {
            try (BlockingStream fast = open(opener)) {
                byte[] question = random(100_000);
                Thread.startVirtualThread(() -> {
                    write(fast, new byte[] {'f'});
                    write(fast, question);
                    fast.shutdownOutput();
                });
                assertSame(readAll(fast), question);
            }
        }
        until("a writer that waits for room", () -> writer.getState() == Thread.State.WAITING);
        release.countDown();
        assertSame(slow.poll(PATIENCE, TimeUnit.MILLISECONDS), much);
    }

    @Test
    void aThousandAtATime() throws Exception {
        serveBlocking(RelayScene::echo);
        StreamOpener opener = opener();
        List<BlockingStream> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(open(opener));
        }
        for (int i = 0; i < all.size(); i++) {
            write(all.get(i), ("stream " + i).getBytes(StandardCharsets.UTF_8));
        }
        for (int i = 0; i < all.size(); i++) {
            String expected = "stream " + i;
            assertThat(read(all.get(i), expected.length())).asString().isEqualTo(expected);
        }
        all.forEach(BlockingStream::close);
    }

    @Test
    void moreThanTheLimitAreRefused() throws Exception {
        PeerLimits few = new PeerLimits(64 << 10, 2, 1, Duration.ofSeconds(1));
        bind(new StreamServing(few, ConnectionWatch.NONE, incoming -> incoming.accept(BlockingStream::of)));
        StreamOpener opener = opener();
        BlockingStream first = open(opener);
        open(opener);
        assertThatThrownBy(() -> open(opener)).isInstanceOf(IOException.class).hasMessageContaining("streams");
        first.reset();
        until("room for another one", () -> {
            try {
                open(opener);
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void streamsEndWithTheConnectionAndTheNextOneIsUsed() throws Exception {
        LinkedBlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
        serve(incoming -> {
            connections.add(incoming.connection());
            accept(incoming, RelayScene::echo);
        });
        StreamOpener opener = opener();
        BlockingStream stream = open(opener);
        Channel connection = connections.take();
        connection.eventLoop().execute(() -> connection.unsafe().close(connection.voidPromise()));
        assertThatThrownBy(() -> readAll(stream))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
        BlockingStream next = open(opener);
        write(next, new byte[] {1});
        assertThat(read(next, 1)).containsExactly(1);
    }

    @Test
    void thoseThatThereAreMayFinish() throws Exception {
        StreamServing serving = serveBlocking(RelayScene::echo);
        StreamOpener opener = opener();
        BlockingStream stream = open(opener);
        write(stream, new byte[] {1});
        assertThat(read(stream, 1)).containsExactly(1);
        var drained = serving.drain();
        write(stream, new byte[] {2});
        assertThat(read(stream, 1)).containsExactly(2);
        assertThat(drained.isDone()).isFalse();
        stream.shutdownOutput();
        assertThat(readAll(stream)).isEmpty();
        assertThat(drained.await(PATIENCE)).isTrue();
        assertThatThrownBy(() -> opener.open(name, Duration.ofMillis(200), BlockingStream::of)
                        .sync())
                .isInstanceOf(IOException.class);
    }

    /** The end that serves ends in good order, and another one takes its place. */
    @Test
    void aNewStreamHasTheNextConnectionWhenTheirsIsToEnd() throws Exception {
        StreamServing first =
                new StreamServing(LIMITS, ConnectionWatch.NONE, incoming -> accept(incoming, RelayScene::echo));
        Channel server = bind(first);
        StreamOpener opener = opener();
        BlockingStream old = open(opener);
        write(old, new byte[] {1});
        assertThat(read(old, 1)).containsExactly(1);
        var ended = server.close();
        var drained = first.drain();
        var early = opener.open(name, Duration.ofMillis(PATIENCE), BlockingStream::of);
        write(old, new byte[] {2});
        assertThat(read(old, 1)).containsExactly(2);
        assertThat(drained.isDone()).isFalse();
        assertThat(early.isDone()).isFalse();
        old.close();
        assertThat(drained.await(PATIENCE) && ended.await(PATIENCE)).isTrue();
        until("the name is free", () -> {
            try {
                serveBlocking(RelayScene::echo);
                return true;
            } catch (Exception e) { // Netty throws a BindException without a declaration
                return false;
            }
        });
        BlockingStream next = early.sync().getNow();
        write(next, new byte[] {3});
        assertThat(read(next, 1)).containsExactly(3);
    }

    @Test
    void theWayBackIsTheSame() throws Exception {
        StreamOpener onTheDpu = StreamOpener.accepting(dpuLoop.next(), LIMITS, ConnectionWatch.NONE);
        bind(onTheDpu.connections());
        StreamServing onTheHost =
                new StreamServing(LIMITS, ConnectionWatch.NONE, incoming -> accept(incoming, RelayScene::echo));
        new io.netty.bootstrap.Bootstrap()
                .group(hostLoop)
                .channel(io.github.comch4j.netty.ComchChannel.class)
                .handler(onTheHost)
                .connect(service);
        for (int i = 0; i < 5; i++) {
            try (BlockingStream stream = open(onTheDpu)) {
                write(stream, random(1000));
                stream.shutdownOutput();
                assertSame(readAll(stream), random(1000));
            }
        }
    }
}
