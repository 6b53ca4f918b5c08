/**
 * Optional JMX beans with the counts and states of a running program: {@link io.github.comch4j.management.MBeans}.
 *
 * <p>This package needs the JDK's module {@code java.management}; nothing else in this library does. A program that is
 * a module, and a runtime image, must require it.
 */
@NullMarked
package io.github.comch4j.management;

import org.jspecify.annotations.NullMarked;
