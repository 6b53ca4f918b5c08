package io.github.comch4j.rpc;

/** Answers the calls of a method. */
@FunctionalInterface
public interface RpcHandler {
    /**
     * Answers a call.
     *
     * @param request the client's request
     * @return the response; must not be changed afterwards
     * @throws Exception if the call fails; the client gets an {@link RpcException} of kind
     *     {@link RpcException.Kind#FAILED} with the text of this exception
     */
    byte[] handle(RpcRequest request) throws Exception;
}
