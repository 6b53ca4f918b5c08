package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.netty.ComchChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the two ends ask of each other before there is a stream. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told by the channel's end
@Timeout(120)
class ProtocolTest extends RelayScene {
    private Channel connect(ChannelHandler handler) {
        return new Bootstrap()
                .group(hostLoop)
                .channel(ComchChannel.class)
                .handler(handler)
                .connect(service)
                .syncUninterruptibly()
                .channel();
    }

    /** A connection on which a test opens streams itself. */
    private Channel opening() {
        return connect(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                Http2.opening(channel.pipeline(), LIMITS, new ConnectionEnd(ConnectionWatch.NONE));
            }
        });
    }

    private static Http2Headers answer(Channel connection, Http2Headers request) throws Exception {
        Promise<Http2Headers> answer = connection.eventLoop().newPromise();
        new Http2StreamChannelBootstrap(connection)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        context.writeAndFlush(new DefaultHttp2HeadersFrame(request));
                    }

                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        if (message instanceof Http2HeadersFrame frame) {
                            answer.trySuccess(frame.headers());
                        }
                        ReferenceCountUtil.release(message);
                    }
                })
                .open();
        return answer.get(PATIENCE, TimeUnit.MILLISECONDS);
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT, 1, 200, ",
        "CONNECT, 2, 505, this end supports only version 1 of the protocol",
        "CONNECT, , 505, this end supports only version 1 of the protocol",
        "GET, 1, 400, only CONNECT with the name of a service is supported",
    })
    void aRequestIsUnderstoodOrRefused(String method, String version, String status, String reason) throws Exception {
        serveBlocking(RelayScene::echo);
        Channel connection = opening();
        Http2Headers request = Protocol.request(name).method(method);
        if (method.equals("GET")) {
            request.path("/").scheme("http"); // or Netty refuses it before
        }
        if (version == null) {
            request.remove(Protocol.VERSION_FIELD);
        } else {
            request.set(Protocol.VERSION_FIELD, version);
        }
        Http2Headers answer = answer(connection, request);
        assertThat(answer.status()).hasToString(status);
        assertThat(answer.get(Protocol.VERSION_FIELD)).hasToString("1");
        assertThat(reason == null ? null : answer.get(Protocol.REASON_FIELD).toString())
                .isEqualTo(reason);
        // the connection goes on
        assertThat(answer(connection, Protocol.request(name)).status()).hasToString("200");
    }

    @Test
    void twoEndsThatServeDoNotUnderstandEachOther() throws Exception {
        serveBlocking(RelayScene::echo);
        Channel client = connect(new StreamServing(LIMITS, ConnectionWatch.NONE, incoming -> {}));
        assertThat(client.closeFuture().await(PATIENCE)).isTrue();
    }

    @Test
    void twoEndsThatOpenDoNotUnderstandEachOther() throws Exception {
        StreamOpener there = StreamOpener.accepting(dpuLoop.next(), LIMITS, ConnectionWatch.NONE);
        bind(there.connections());
        assertThat(opening().closeFuture().await(PATIENCE)).isTrue();
    }

    @Test
    void aServerHasAsManyConnectionsAsItMay() throws Exception {
        serveBlocking(RelayScene::echo);
        Channel[] within = new Channel[LIMITS.connections()];
        for (int i = 0; i < within.length; i++) {
            within[i] = opening();
            assertThat(answer(within[i], Protocol.request(name)).status()).hasToString("200");
        }
        assertThat(opening().closeFuture().await(PATIENCE)).isTrue();
        assertThat(answer(within[1], Protocol.request(name)).status()).hasToString("200");
    }
}
