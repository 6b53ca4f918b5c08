/**
 * Calls between processes over Comch: an {@link io.github.comch4j.rpc.RpcClient} calls methods of an
 * {@link io.github.comch4j.rpc.RpcServer}. Each runs on an {@link io.github.comch4j.core.EventLoop}, and they exchange
 * messages of the control path. Bodies can be longer than a message. Calls have deadlines, can be canceled, and carry
 * metadata. A failure reports how far the call got, and a server can shut down in good order. C programs can take part:
 * {@code docs/rpc.md} describes the format. For streams, use gRPC over {@code docs/netty.md}.
 */
@NullMarked
package io.github.comch4j.rpc;

import org.jspecify.annotations.NullMarked;
