package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.cli.Comch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** OkHttp, which takes a socket factory, keeps connections and looks whether they live; a relay has the server. */
@Timeout(180)
class OkHttpIT {
    private static final MediaType BYTES = MediaType.get("application/octet-stream");
    private static final int LARGE = 20_000_000;
    private static final int AT_A_TIME = 20;

    static {
        Machine.useEmulation();
    }

    /** What the server does with a request, beside its target. */
    private interface Answer {
        void to(HttpExchange exchange) throws Exception;
    }

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet(); // that the server has seen
    private HttpServer server;
    private OkHttpClient client;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws IOException {
        serve(HttpServer.create());
        client = clientOf(new OkHttpClient.Builder());
        relay();
    }

    private void serve(HttpServer made) throws IOException {
        server = made;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.start();
        answer("/echo", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        });
    }

    private OkHttpClient clientOf(OkHttpClient.Builder builder) {
        OkHttpClient made = builder.socketFactory(new ComchSocketFactory(name + ",device=" + Machine.HOST))
                .connectTimeout(Machine.PATIENCE)
                .readTimeout(Machine.PATIENCE)
                .writeTimeout(Machine.PATIENCE)
                .build();
        made.dispatcher().setMaxRequestsPerHost(AT_A_TIME);
        return made;
    }

    private ChildVm relay() throws IOException {
        return children.start(
                folder,
                Map.of("DOCA_EMU_SIDE", "dpu"),
                Comch.class,
                "relay",
                "comch:" + name,
                "tcp:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        client.dispatcher().executorService().shutdownNow();
        client.connectionPool().evictAll();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(String path, Answer answer) {
        server.createContext(path, exchange -> {
            connections.add(exchange.getRemoteAddress());
            try (exchange) {
                answer.to(exchange);
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
    }

    private static Request.Builder request(String path) {
        return new Request.Builder().url("http://localhost" + path);
    }

    private static Request post(String text) {
        return request("/echo")
                .post(RequestBody.create(text.getBytes(StandardCharsets.UTF_8), BYTES))
                .build();
    }

    private String ask(String text) throws IOException {
        try (Response response = client.newCall(post(text)).execute()) {
            return response.body().string();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Sends without an end, until nobody takes it any more. */
    private static void sendForEver(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            byte[] part = new byte[10_000];
            for (; ; ) {
                out.write(part);
            }
        }
    }

    @Test
    void aConnectionIsKept() throws IOException {
        for (int i = 0; i < 50; i++) {
            assertThat(ask("request " + i)).isEqualTo("request " + i);
        }
        assertThat(connections).hasSize(1);
    }

    @Test
    void twentyAtATime() throws Exception {
        CyclicBarrier all = new CyclicBarrier(AT_A_TIME);
        answer("/together", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            all.await(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        });
        CompletableFuture<?>[] answers = new CompletableFuture<?>[AT_A_TIME];
        for (int i = 0; i < AT_A_TIME; i++) {
            byte[] body = random(10_000 + i);
            answers[i] = CompletableFuture.runAsync(
                    () -> {
                        Request request = request("/together")
                                .post(RequestBody.create(body, BYTES))
                                .build();
                        try (Response response = client.newCall(request).execute()) {
                            assertThat(response.body().bytes()).isEqualTo(body);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    threads);
        }
        CompletableFuture.allOf(answers).get(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(connections).hasSize(AT_A_TIME);
    }

    @Test
    void largeBodiesBothWays() throws IOException {
        byte[] body = random(LARGE);
        Request request = request("/echo").post(RequestBody.create(body, BYTES)).build();
        for (int i = 0; i < 2; i++) {
            try (Response response = client.newCall(request).execute()) {
                assertThat(Arrays.mismatch(response.body().bytes(), body)).isEqualTo(-1);
            }
        }
        assertThat(connections).hasSize(1);
    }

    /** While it waits for an answer, and while one comes. */
    @Test
    void aCallIsCancelled() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<String> seen = new CompletableFuture<>();
        answer("/endless", exchange -> {
            asked.countDown();
            try {
                sendForEver(exchange);
            } catch (IOException e) {
                seen.complete("told");
            }
        });
        CountDownLatch never = new CountDownLatch(1);
        answer("/never", exchange -> {
            asked.countDown();
            never.await();
        });
        for (String path : new String[] {"/never", "/endless"}) {
            Call call = client.newCall(request(path).build());
            CompletableFuture<Void> failed = new CompletableFuture<>();
            call.enqueue(new Callback() {
                @Override
                public void onFailure(Call of, IOException e) {
                    failed.completeExceptionally(e);
                }

                @Override
                public void onResponse(Call of, Response response) throws IOException {
                    try (response;
                            InputStream in = response.body().byteStream()) {
                        in.readNBytes(100_000);
                        call.cancel();
                        in.readAllBytes();
                    } catch (IOException e) {
                        failed.completeExceptionally(e);
                    }
                }
            });
            if (path.equals("/never")) {
                assertThat(asked.await(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                call.cancel();
            }
            assertThatThrownBy(() -> failed.get(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IOException.class);
            assertThat(call.isCanceled()).isTrue();
            assertThat(ask("after " + path)).isEqualTo("after " + path);
        }
        never.countDown();
        assertThat(seen.get(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("told");
    }

    @Test
    void aClientHangsUpInTheMiddleOfItsRequest() throws Exception {
        CompletableFuture<Object> seen = new CompletableFuture<>();
        answer("/half", exchange -> {
            try {
                seen.complete(exchange.getRequestBody().readAllBytes().length);
            } catch (IOException e) {
                seen.complete("told");
            }
        });
        Request half = request("/half")
                .post(new RequestBody() {
                    @Override
                    public MediaType contentType() {
                        return BYTES;
                    }

                    @Override
                    public long contentLength() {
                        return LARGE;
                    }

                    @Override
                    public void writeTo(BufferedSink sink) throws IOException {
                        sink.write(random(LARGE / 2)).flush();
                        throw new IOException("enough");
                    }
                })
                .build();
        assertThatThrownBy(() -> client.newCall(half).execute().close())
                .isInstanceOf(IOException.class)
                .hasMessage("enough");
        assertThat(seen.get(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("told");
        assertThat(ask("the next one")).isEqualTo("the next one");
    }

    /** The client has a connection that has ended meanwhile, sees it, and makes another one. */
    @Test
    void theRelayEndsAndIsStartedAgain() throws Exception {
        assertThat(ask("before")).isEqualTo("before");
        children.closeAll();
        relay();
        assertThat(ask("after")).isEqualTo("after");
        assertThat(connections).hasSize(2);
    }

    @Test
    void tlsIsLayeredOnTop() throws Exception {
        server.stop(0);
        KeyStore store = Certificates.store(folder);
        SSLContext context = Certificates.context(store);
        HttpsServer secure = HttpsServer.create();
        secure.setHttpsConfigurator(new HttpsConfigurator(context));
        serve(secure);
        children.closeAll();
        relay();
        client = clientOf(
                new OkHttpClient.Builder().sslSocketFactory(context.getSocketFactory(), Certificates.trust(store)));
        byte[] body = random(1_000_000);
        Request request = new Request.Builder()
                .url("https://localhost/echo")
                .post(RequestBody.create(body, BYTES))
                .build();
        for (int i = 0; i < 2; i++) {
            try (Response response = client.newCall(request).execute()) {
                assertThat(response.handshake()).isNotNull();
                assertThat(response.body().bytes()).isEqualTo(body);
            }
        }
        assertThat(connections).hasSize(1);
    }
}
