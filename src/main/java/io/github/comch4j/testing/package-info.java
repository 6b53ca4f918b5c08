/**
 * Support for tests of your program on the emulated BlueField: a machine for each test, a check for objects that were
 * left open, and the other side as a second JVM.
 *
 * {@snippet file="EmulatedExampleIT.java" region="test"}
 *
 * <p>The package has a jar of its own, {@code <classifier>testing</classifier>}, and a module,
 * {@code io.github.comch4j.testing}. {@link io.github.comch4j.testing.EmulatedBlueField} needs JUnit 5.13 or later
 * ({@code org.junit.jupiter:junit-jupiter-api}), and {@link io.github.comch4j.testing.EmulatedContainers} needs
 * Testcontainers; nothing else in this library needs them. {@link io.github.comch4j.emulator.EmulatedMachine} and
 * {@link io.github.comch4j.emulator.PeerProcess} work in tests of any kind.
 */
@NullMarked
@Experimental("names and defaults may change until other projects have used it")
package io.github.comch4j.testing;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
