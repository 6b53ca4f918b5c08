/**
 * Sockets of {@code java.net} that are streams over Comch, for programs and drivers that accept a
 * {@link javax.net.SocketFactory}. The service is one that {@code comch relay} or a Java program serves on the other
 * side. The package needs Netty with its codec for HTTP/2 ({@code io.netty:netty-codec-http2}); put it on the class
 * path or module path of your program.
 *
 * {@snippet file="RelaySockets.java" region="client"}
 *
 * {@snippet file="RelaySockets.java" region="server"}
 *
 * <p>All sockets of a process to one service share a connection over Comch. Each socket has a window of its own. See
 * {@code docs/sockets.md} for details.
 */
@Experimental("it was tested only on the emulated device; it is stable once drivers have used it over a BlueField")
@NullMarked
package io.github.comch4j.net;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
