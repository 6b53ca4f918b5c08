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
 * A call with all its options. {@link RpcClient#call(int, byte[])} is the short form.
 *
 * {@snippet file="RpcExample.java" region="prepared"}
 *
 * <p>After you have set its options, you can use this object for any number of calls, from any number of threads.
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
     * Sets how long the call waits for a connection, for room and for the response, all together. Default: the time of
     * {@link RpcClient.Builder#timeout}.
     *
     * @param time the longest time to wait
     * @return this
     */
    public RpcCall timeout(Duration time) {
        timeout = Nanos.of(time);
        return this;
    }

    /**
     * Sets whether the call waits for a connection while there is none. Default: the setting of
     * {@link RpcClient.Builder#waitForReady}.
     *
     * @param wait true to wait, as in the client's setting
     * @return this
     */
    public RpcCall waitForReady(boolean wait) {
        options = new ClientCall.Options(wait, options.metadata());
        return this;
    }

    /**
     * Adds metadata: a fact that the handler needs beside the request, such as the identity of the caller or of a
     * trace. The handler reads it with {@link RpcRequest#metadata()}.
     *
     * @param key a key that is not empty; an existing entry with this key is replaced
     * @param value any text
     * @return this
     * @throws IllegalArgumentException if the key is empty, or if all metadata together exceed 2048 bytes, counted in
     *     UTF-8 plus four bytes for each pair
     */
    public RpcCall metadata(String key, String value) {
        metadata = Metadata.with(metadata, key, value);
        options = new ClientCall.Options(options.waitForReady(), Metadata.write(metadata));
        return this;
    }

    /**
     * Makes the call and waits for the response, as {@link RpcClient#call(int, byte[], Duration)} does, with the same
     * exceptions.
     *
     * @param request the request; must not be changed until this method returns
     * @return the response
     */
    public RpcResponse call(byte[] request) {
        return call(MemorySegment.ofArray(request));
    }

    /**
     * Makes the call as {@link #call(byte[])} does, but copies the request only into messages.
     *
     * @param request the request; must not be changed until this method returns; the loop must be able to read it
     * @return the response
     * @throws IllegalArgumentException if the request is too long, or belongs to a thread other than the loop's
     */
    public RpcResponse call(MemorySegment request) {
        ClientCall call = client.await(method, request, timeout, options);
        return RpcResponse.of(Objects.requireNonNull(call.response()), call.responseMetadata);
    }

    /**
     * Makes the call without waiting, as {@link RpcClient#callAsync(int, byte[], Duration)} does.
     *
     * @param request the request; must not be changed until the result is completed
     * @return a future that is completed with the response, usually in the loop
     */
    public CompletableFuture<RpcResponse> callAsync(byte[] request) {
        return callAsync(MemorySegment.ofArray(request), response -> {
            byte[] body = response.body();
            return RpcResponse.of(body, response.metadata());
        });
    }

    /**
     * Makes the call without waiting, and without a copy of the request or the response. The reader sees a response
     * that arrives in one message, or in one slot of the fast path, in the memory where it arrived. A response in
     * several parts is assembled first.
     *
     * @param request the request; must not be changed until the result is completed; the loop must be able to read it
     * @param reader converts the response to the result; runs in the loop, and must neither block it nor keep the
     *     response's {@linkplain RpcResponse#segment() memory}
     * @param <T> the type of the result
     * @return a future that is completed, usually in the loop, with what the reader returns or throws, or with the
     *     reason why the call failed
     * @throws IllegalArgumentException if the request is too long, or belongs to a thread other than the loop's
     */
    public <T> CompletableFuture<T> callAsync(
            MemorySegment request, Function<? super RpcResponse, ? extends T> reader) {
        return client.begin(method, request, timeout, options, Objects.requireNonNull(reader));
    }

    /**
     * Returns a description of this call, for logs.
     *
     * @return the method and the server
     */
    @Override
    public String toString() {
        return "call of method " + method + " of " + client;
    }
}
