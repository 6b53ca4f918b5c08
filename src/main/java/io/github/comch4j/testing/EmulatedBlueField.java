package io.github.comch4j.testing;

import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test, or each class of tests, an {@linkplain EmulatedMachine emulated machine} of its own.
 *
 * <p>All devices that the test's thread and the threads it starts open with {@link io.github.comch4j.core.Device}
 * belong to this machine, so the program under test needs no change. Parallel tests do not see each other, even in
 * other processes and with the same server names. Threads of a {@code ForkJoinPool} and threads that existed before the
 * test use the process's machine; pass a device to those.
 *
 * <p>Tests, the methods around them and constructors can have these parameters:
 *
 * <table>
 * <caption>Injected parameters</caption>
 * <tr><th>type</th><th>object</th></tr>
 * <tr><td>{@link EmulatedMachine}</td><td>the machine</td></tr>
 * <tr><td>{@link io.github.comch4j.core.Device}</td><td>with {@link Host @Host} the host's first function, with
 * {@link Dpu @Dpu} the DPU's first device; without an annotation the only side there is</td></tr>
 * <tr><td>{@link io.github.comch4j.core.Representor}</td><td>the representor of the host's first function</td></tr>
 * <tr><td>{@link io.github.comch4j.core.ProgressEngine}</td><td>an engine of the test's thread; another one with
 * {@link Host}, and another one with {@link Dpu}</td></tr>
 * <tr><td>{@link io.github.comch4j.core.EventLoop}</td><td>the same as for engines, but running</td></tr>
 * </table>
 *
 * <p>The extension closes these objects after the test. The test must close what it has opened itself: an engine, a
 * device, an inventory, or anything on an injected object. If such an object is still open after the last
 * {@code @AfterEach} method and after {@code @AutoClose}, the test fails and the extension closes the object. The
 * failure names the object and where it was created. Dynamic tests share the machine of their factory; the factory
 * fails for objects that they leave open.
 *
 * <p>The extension also ends each {@link PeerProcess} that still runs. A process that has ended with a failure makes
 * the test fail, unless the test has ended it or has asked how it ended. The report contains the output of such a
 * process.
 *
 * <p>On a method, the annotation applies to that test. On a class, it applies to all tests of the class and of its
 * nested classes.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EmulatedBlueFieldExtension.class)
public @interface EmulatedBlueField {

    /** How long a machine exists. */
    enum Scope {
        /** Each test has a machine. */
        TEST,
        /** All tests of the class share a machine. */
        CLASS
    }

    /**
     * How long the machine exists. With {@link Scope#CLASS}, the check for open objects follows the last test.
     *
     * @return the scope; by default each test has a machine
     */
    Scope scope() default Scope.TEST;

    /**
     * The devices that the process sees.
     *
     * @return the side; by default both
     */
    EmulatedMachine.Side side() default EmulatedMachine.Side.BOTH;

    /**
     * The topology of the machine: lines of a topology file ({@code docs/emulator.md}), such as
     * {@code "host 0000:b1:00.0 pf"}.
     *
     * @return the lines; by default a machine with a DPU, and a host with a PF and two VFs
     */
    String[] topology() default {};

    /**
     * Limits of the machine's devices, such as {@code "max_msg_size 100"}.
     *
     * @return the limits; by default those of the emulated device
     */
    String[] limits() default {};

    /**
     * Whether the machine is strict. Where DOCA's guides leave the behavior of a device open, a strict machine takes
     * the reading that is harder for a program ({@code docs/emulator.md}). The environment variable
     * {@code DOCA_EMU_STRICT} overrides this value.
     *
     * @return true for a strict machine; by default false
     */
    boolean strict() default false;

    /**
     * Faults of this process on the machine from the beginning of each test, in the format of
     * {@link io.github.comch4j.emulator.EmulatedFaults#toString()}. The extension removes them after the test, together
     * with faults that the test has applied itself.
     *
     * @return the faults; by default none
     */
    String faults() default "";

    /**
     * Whether an object that was left open makes the test fail.
     *
     * @return true to fail; by default true
     */
    boolean failOnLeaks() default true;

    /** Marks a parameter of the host's side. */
    @Documented
    @Target(ElementType.PARAMETER)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Host {}

    /** Marks a parameter of the DPU's side. */
    @Documented
    @Target(ElementType.PARAMETER)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Dpu {}
}
