/**
 * A transport for <a href="https://netty.io">Netty</a> 4.2 over Comch: pipelines, codecs and what is built on them run
 * between host and DPU without IP. The only package that needs Netty ({@code io.netty:netty-transport}), which programs
 * that use it have on their class or module path.
 *
 * {@snippet file="NettyEcho.java" region="server"}
 *
 * {@snippet file="NettyEcho.java" region="client"}
 *
 * <p>Each event loop has a {@link io.github.comch4j.core.ProgressEngine} of its own, which its thread progresses, and
 * on whose descriptor it sleeps. A channel is a stream of bytes, as one of TCP is: it goes out in messages of the
 * control path, and who does not read makes the peer wait. {@code docs/netty.md} says what differs from TCP, and what
 * the options are.
 */
@NullMarked
package io.github.comch4j.netty;

import org.jspecify.annotations.NullMarked;
