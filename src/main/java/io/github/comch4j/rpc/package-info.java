/**
 * Requests and replies over Comch: {@link io.github.comch4j.rpc.RpcClient} calls methods of an
 * {@link io.github.comch4j.rpc.RpcServer}, over messages of the control path, on an
 * {@link io.github.comch4j.core.EventLoop} each. Bodies may be longer than a message; calls have deadlines, can be
 * cancelled, and carry metadata; failures travel back and say how far the call has come; servers end in good order. C
 * programs can take part: {@code docs/rpc.md} has the format. Streams are gRPC's, over {@code docs/netty.md}.
 */
@NullMarked
package io.github.comch4j.rpc;

import org.jspecify.annotations.NullMarked;
