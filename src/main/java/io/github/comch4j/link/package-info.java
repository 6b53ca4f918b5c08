/**
 * What several packages above {@code comch} share: a client that connects on a loop, and again when its connection has
 * ended; work that any number of threads give to a loop, with one wake-up for much of it; the header of the messages of
 * sockets and channels of Netty, by which an end knows whether it has all, and the windows, by which it is told how
 * much it may send ({@code docs/sockets.md}). No part of the API.
 */
@NullMarked
package io.github.comch4j.link;

import org.jspecify.annotations.NullMarked;
