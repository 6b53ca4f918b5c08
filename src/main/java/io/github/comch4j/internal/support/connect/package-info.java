/** A client that connects on a loop, and again when its connection has ended. */
@NullMarked
package io.github.comch4j.internal.support.connect;

import org.jspecify.annotations.NullMarked;
