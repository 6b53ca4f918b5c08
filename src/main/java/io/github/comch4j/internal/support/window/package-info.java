/**
 * What sockets and channels of Netty have in common, {@code docs/sockets.md}: the header of their messages, by which an
 * end knows whether it has all, and windows, by which it is told how much it may send.
 */
@NullMarked
package io.github.comch4j.internal.support.window;

import org.jspecify.annotations.NullMarked;
