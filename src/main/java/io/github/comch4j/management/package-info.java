/**
 * Counts and states of a running program over JMX, for those who ask for it:
 * {@link io.github.comch4j.management.MBeans}.
 *
 * <p>Needs the JDK's module {@code java.management}, which nothing else in this library does: a program that is a
 * module, or a runtime image, has to require it.
 */
@NullMarked
package io.github.comch4j.management;

import org.jspecify.annotations.NullMarked;
