/** How any number of threads give work to the one thread of an event loop, with one wake-up for much of it. */
@NullMarked
package io.github.comch4j.internal.support.handover;

import org.jspecify.annotations.NullMarked;
