/**
 * Streams as TCP has them, many over one Comch connection: HTTP/2 over the transport for Netty, whose CONNECT requests
 * name a service. {@code docs/relay.md} has the protocol. {@link io.github.comch4j.streams.StreamOpener}
 * opens streams, {@link io.github.comch4j.streams.StreamServing} answers them,
 * {@link io.github.comch4j.streams.Splice} joins one with a socket, and
 * {@link io.github.comch4j.streams.BlockingStream} is one for threads that wait.
 */
@NullMarked
package io.github.comch4j.streams;

import org.jspecify.annotations.NullMarked;
