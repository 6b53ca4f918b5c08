/**
 * Sockets and byte channels over Comch, for programs that prefer blocking calls to handlers. Each type corresponds to
 * the JDK type whose name follows {@code Comch} in its own name.
 *
 * <p>{@link io.github.comch4j.io.MessageSocket} and {@link io.github.comch4j.io.MessageServerSocket} send and receive
 * messages of the control path, on an {@link io.github.comch4j.core.EventLoop}. Any thread may call them, including a
 * virtual thread. {@link io.github.comch4j.io.ComchOutputChannel} and {@link io.github.comch4j.io.ComchInputChannel}
 * carry a stream of bytes on the fast path, on the thread of their engine. A failed read or write throws
 * {@link java.io.IOException}, as callers of {@link java.nio.channels} expect, with the
 * {@link io.github.comch4j.DocaException} as its cause. Opening a channel, and every method of a socket, throws
 * {@code DocaException} itself.
 */
@NullMarked
package io.github.comch4j.io;

import org.jspecify.annotations.NullMarked;
