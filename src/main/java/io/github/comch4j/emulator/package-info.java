/**
 * What only the emulated BlueField can do, for tests of programs: {@linkplain io.github.comch4j.emulator.EmulatedFaults
 * faults on demand}, and {@linkplain io.github.comch4j.emulator.EmulatedMachine machines} that nobody else has, with
 * {@linkplain io.github.comch4j.emulator.PeerProcess processes} as the other side. {@code io.github.comch4j.testing}
 * gives such a machine to each test of JUnit. {@link io.github.comch4j.emulator.JavaKernels} has the DPA run kernels
 * that are in Java.
 *
 * <p>Programs need nothing of this package to run on the emulated device. It is one machine, a host with the functions
 * {@code 0000:b1:00.0}, {@code 0000:b1:00.2} and {@code 0000:b1:00.3}, and a DPU with the device {@code 0000:03:00.0},
 * which has a representor for each of them. A process may be on both sides at once.
 *
 * <table>
 * <caption>Environment variables that are needed most</caption>
 * <tr><th>variable</th><th>meaning</th><th>default</th></tr>
 * <tr><td>{@code DOCA_EMU_DIR}</td>
 * <td>the folder that is this machine: processes that name the same one reach each other, others do not, such as
 * another run of the tests</td>
 * <td>{@code /dev/shm/doca-emu-UID}, one for each user</td></tr>
 * <tr><td>{@code DOCA_EMU_SIDE}</td>
 * <td>which devices this process sees: {@code host}, {@code dpu} or {@code both}</td><td>{@code both}</td></tr>
 * <tr><td>{@code DOCA_EMU_FAULTS}</td>
 * <td>{@linkplain io.github.comch4j.emulator.EmulatedFaults#toString() faults}, from the start</td><td>none</td></tr>
 * </table>
 */
@NullMarked
package io.github.comch4j.emulator;

import org.jspecify.annotations.NullMarked;
