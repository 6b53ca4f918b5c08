/**
 * Functions that only the emulated BlueField has, for tests of programs:
 * {@linkplain io.github.comch4j.emulator.EmulatedFaults faults on demand}, and private
 * {@linkplain io.github.comch4j.emulator.EmulatedMachine machines} with
 * {@linkplain io.github.comch4j.emulator.PeerProcess processes} as the other side. {@code io.github.comch4j.testing}
 * gives such a machine to each test of JUnit. With {@link io.github.comch4j.emulator.JavaKernels}, the DPA runs kernels
 * written in Java.
 *
 * <p>A program needs nothing from this package to run on the emulated device. By default the device is one machine. Its
 * host has the functions {@code 0000:b1:00.0}, {@code 0000:b1:00.2} and {@code 0000:b1:00.3}. Its DPU has the device
 * {@code 0000:03:00.0} with a representor for each function. A process can be on both sides at once.
 *
 * <table>
 * <caption>The most important environment variables</caption>
 * <tr><th>variable</th><th>meaning</th><th>default</th></tr>
 * <tr><td>{@code DOCA_EMU_DIR}</td>
 * <td>the folder of this machine; processes with the same folder reach each other, and no others, such as another run
 * of the tests</td>
 * <td>{@code /dev/shm/doca-emu-UID}, one for each user</td></tr>
 * <tr><td>{@code DOCA_EMU_SIDE}</td>
 * <td>the devices that this process sees: {@code host}, {@code dpu} or {@code both}</td><td>{@code both}</td></tr>
 * <tr><td>{@code DOCA_EMU_FAULTS}</td>
 * <td>{@linkplain io.github.comch4j.emulator.EmulatedFaults#toString() faults}, from the start</td><td>none</td></tr>
 * </table>
 */
@NullMarked
package io.github.comch4j.emulator;

import org.jspecify.annotations.NullMarked;
