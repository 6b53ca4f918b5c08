/** {@code comch sample}: either end of DOCA's sample programs. */
@NullMarked
package io.github.comch4j.cli.sample;

import org.jspecify.annotations.NullMarked;
