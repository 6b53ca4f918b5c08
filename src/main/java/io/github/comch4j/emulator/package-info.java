/**
 * What only the emulated BlueField can do: {@linkplain io.github.comch4j.emulator.EmulatedFaults faults on demand}, for tests of programs that must survive them.
 */
package io.github.comch4j.emulator;
