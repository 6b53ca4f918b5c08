package io.github.comch4j.rpc;

import io.github.comch4j.internal.life.Nanos;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call with all that may be said of it; {@link RpcClient#call(int, byte[])} is its short form.
 *
 * {@snippet file="RpcExample.java" region="prepared"}
 *
 * <p>May be used for any number of calls, once its settings are made; then by any number of threads.
 */
public final class RpcCall {
    private final RpcClient client;
    private final int method;
    private long timeout;
    private @Nullable Map<String, String> metadata;
    private ClientCall.Options options;

    RpcCall(RpcClient client, int method, long timeout, ClientCall.Options options) {
        this.client = client;
        this.method = method;
        this.timeout = timeout;
        this.options = options;
    }

    /**
     * How long to wait for the response, and before for room and for a connection. Default: what
     * {@link RpcClient.Builder#timeout} says.
     *
     * @param time how long
     * @return this
     */
    public RpcCall timeout(Duration time) {
        timeout = Nanos.of(time);
        return this;
    }

    /**
     * Whether to wait for a connection while there is none. Default: what {@link RpcClient.Builder#waitForReady} says.
     *
     * @param wait as there
     * @return this
     */
    public RpcCall waitForReady(boolean wait) {
        options = new ClientCall.Options(wait, options.metadata());
        return this;
    }

    /**
     * Something for the handler to know beside the request, such as who calls, or the identity of a trace:
     * {@link RpcRequest#metadata()}.
     *
     * @param key not empty; one that is there already is replaced
     * @param value any text
     * @return this
     * @throws IllegalArgumentException if it is more than 2048 bytes together, in UTF-8 and with four more for each
     *     pair, or the key is empty
     */
    public RpcCall metadata(String key, String value) {
        metadata = Metadata.with(metadata, key, value);
        options = new ClientCall.Options(options.waitForReady(), Metadata.write(metadata));
        return this;
    }

    /**
     * Calls, and waits for the response: as {@link RpcClient#call(int, byte[], Duration)}, with the same exceptions.
     *
     * @param request must not be changed until this returns
     * @return the response
     */
    public RpcResponse call(byte[] request) {
        return call(MemorySegment.ofArray(request));
    }

    /**
     * As {@link #call(byte[])}, with a request that is copied nowhere but into messages.
     *
     * @param request must not be changed until this returns; the loop must be able to read it
     * @return the response
     * @throws IllegalArgumentException if it is too long, or belongs to another thread than the loop's
     */
    public RpcResponse call(MemorySegment request) {
        ClientCall call = client.await(method, request, timeout, options);
        return RpcResponse.of(Objects.requireNonNull(call.response()), call.responseMetadata);
    }

    /**
     * Calls without waiting: as {@link RpcClient#callAsync(int, byte[], Duration)}.
     *
     * @param request must not be changed until the result is completed
     * @return completed, usually in the loop
     */
    public CompletableFuture<RpcResponse> callAsync(byte[] request) {
        return callAsync(MemorySegment.ofArray(request), response -> {
            byte[] body = response.body();
            return RpcResponse.of(body, response.metadata());
        });
    }

    /**
     * Calls without waiting, and without a copy of the request or the response. A response that comes in one message,
     * or in one slot of the fast path, is read where it has arrived; one that comes in parts is put together first.
     *
     * @param request must not be changed until the result is completed; the loop must be able to read it
     * @param reader makes the result of the response; runs in the loop, and must not block it or keep the response's
     *     {@linkplain RpcResponse#segment() memory}
     * @param <T> the type of the result
     * @return completed, usually in the loop, with what the reader returns or throws, or with why the call failed
     * @throws IllegalArgumentException if the request is too long, or belongs to another thread than the loop's
     */
    public <T> CompletableFuture<T> callAsync(
            MemorySegment request, Function<? super RpcResponse, ? extends T> reader) {
        return client.begin(method, request, timeout, options, Objects.requireNonNull(reader));
    }

    /**
     * For logs.
     *
     * @return the method and the server
     */
    @Override
    public String toString() {
        return "call of method " + method + " of " + client;
    }
}
