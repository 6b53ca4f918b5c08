/** What {@code comch relay} consists of: addresses, sockets of this machine, and the pairs that join both sides. */
@NullMarked
package io.github.comch4j.cli.relay;

import org.jspecify.annotations.NullMarked;
