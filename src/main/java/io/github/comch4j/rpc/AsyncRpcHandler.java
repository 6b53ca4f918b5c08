package io.github.comch4j.rpc;

import java.util.concurrent.CompletionStage;

/** Answers the calls of a method later. */
@FunctionalInterface
public interface AsyncRpcHandler {
    /**
     * Begins to answer a call. Runs in the server's loop, and must not block it.
     *
     * @param request what the client asks
     * @return completed by any thread with the response, which must not be changed afterwards; if it fails, the client
     *     gets an {@link RpcException} of kind {@link RpcException.Kind#FAILED} with the text of the failure
     * @throws Exception as if what it returns failed
     */
    CompletionStage<byte[]> handle(RpcRequest request) throws Exception;
}
