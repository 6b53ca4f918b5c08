/**
 * Sockets and byte channels over Comch, for programs that want calls that wait rather than handlers. Each type stands
 * for the type of the JDK whose name it bears after {@code Comch}.
 *
 * <p>{@link io.github.comch4j.io.MessageSocket} and {@link io.github.comch4j.io.MessageServerSocket} send and receive
 * messages of the control path, on an {@link io.github.comch4j.core.EventLoop}; any thread may call them, also a
 * virtual one. {@link io.github.comch4j.io.ComchOutputChannel} and {@link io.github.comch4j.io.ComchInputChannel} carry
 * a stream of bytes on the fast path, on the thread of their engine: what they cannot read or write throws
 * {@link java.io.IOException}, as callers of {@link java.nio.channels} expect, with the
 * {@link io.github.comch4j.DocaException} as its cause. Opening them, and everything in sockets, throws
 * {@code DocaException} itself.
 */
@NullMarked
package io.github.comch4j.io;

import org.jspecify.annotations.NullMarked;
