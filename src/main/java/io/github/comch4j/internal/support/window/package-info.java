/**
 * How much a peer may send, and how it is told: windows and their frames, {@code docs/sockets.md}. Sockets and channels
 * of Netty use it.
 */
@NullMarked
package io.github.comch4j.internal.support.window;

import org.jspecify.annotations.NullMarked;
