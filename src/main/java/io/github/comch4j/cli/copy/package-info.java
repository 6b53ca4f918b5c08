/** What {@code comch cp} consists of: the protocol of two ends, and the files on both. */
@NullMarked
package io.github.comch4j.cli.copy;

import org.jspecify.annotations.NullMarked;
