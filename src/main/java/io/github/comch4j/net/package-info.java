/**
 * Sockets of {@code java.net} that are streams over Comch, for programs and drivers that take a
 * {@link javax.net.SocketFactory}: to a service that {@code comch relay} serves, or a Java program on the other side.
 * Needs Netty with its codec for HTTP/2 ({@code io.netty:netty-codec-http2}), which programs that use it have on their
 * class or module path.
 *
 * {@snippet file="RelaySockets.java" region="client"}
 *
 * {@snippet file="RelaySockets.java" region="server"}
 *
 * <p>All sockets of a process that go to one service share a connection over Comch, with a window for each.
 * {@code docs/sockets.md} has more.
 */
@Experimental("it has met the emulated device alone; it is stable once drivers have used it over a BlueField")
@NullMarked
package io.github.comch4j.net;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
