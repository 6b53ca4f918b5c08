package io.github.comch4j.rpc;

import java.util.concurrent.CompletionStage;

/** Answers the calls of a method asynchronously. */
@FunctionalInterface
public interface AsyncRpcHandler {
    /**
     * Begins to answer a call. Runs in the server's loop and must not block it.
     *
     * @param request the client's request
     * @return a stage that any thread completes with the response, which must not be changed afterwards; if the stage
     *     fails, the client gets an {@link RpcException} of kind {@link RpcException.Kind#FAILED} with the text of the
     *     failure
     * @throws Exception if the call fails; the effect is the same as that of a stage that fails
     */
    CompletionStage<byte[]> handle(RpcRequest request) throws Exception;
}
