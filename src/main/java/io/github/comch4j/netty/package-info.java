/**
 * A transport for <a href="https://netty.io">Netty</a> 4.2 over Comch. Pipelines, codecs and software built on them run
 * between host and DPU without IP. The package needs Netty ({@code io.netty:netty-transport}); put it on the class path
 * or module path of your program.
 *
 * {@snippet file="NettyEcho.java" region="server"}
 *
 * {@snippet file="NettyEcho.java" region="client"}
 *
 * <p>Each event loop has a {@link io.github.comch4j.core.ProgressEngine} of its own. The loop's thread progresses the
 * engine and sleeps on its descriptor. A channel is a stream of bytes like a TCP connection, sent in messages of the
 * control path. A receiver that does not read makes its peer wait. {@code docs/netty.md} describes the differences from
 * TCP, and the options.
 */
@NullMarked
package io.github.comch4j.netty;

import org.jspecify.annotations.NullMarked;
