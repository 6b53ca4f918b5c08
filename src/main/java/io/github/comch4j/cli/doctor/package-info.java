/** What {@code comch doctor} looks at, and what it says about it. */
@NullMarked
package io.github.comch4j.cli.doctor;

import org.jspecify.annotations.NullMarked;
