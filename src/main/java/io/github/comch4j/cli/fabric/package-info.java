/** What {@code comch top}, {@code list} and {@code doctor} see of the emulated machine from outside its processes. */
@NullMarked
package io.github.comch4j.cli.fabric;

import org.jspecify.annotations.NullMarked;
