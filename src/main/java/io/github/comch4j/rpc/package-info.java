/**
 * Requests and replies over Comch: {@link io.github.comch4j.rpc.RpcClient} calls methods of an
 * {@link io.github.comch4j.rpc.RpcServer}, over messages of the control path, on an
 * {@link io.github.comch4j.core.EventLoop} each. Bodies may be longer than a message; calls have deadlines and can be
 * cancelled; failures travel back. C programs can take part: {@code docs/rpc.md} has the format.
 */
@NullMarked
package io.github.comch4j.rpc;

import org.jspecify.annotations.NullMarked;
