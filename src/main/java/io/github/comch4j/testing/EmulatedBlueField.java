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
 * <p>Whatever the test's thread, and threads that it starts, open with {@link io.github.comch4j.core.Devices}, is of
 * this machine: the program under test needs no change. Tests in parallel, also of other processes, do not meet,
 * whatever the names of their servers. Threads of a {@code ForkJoinPool} and those that were there before mean the
 * process's machine; give those a device.
 *
 * <p>Parameters of tests, of methods around them and of constructors may be
 *
 * <table>
 * <caption>What is injected</caption>
 * <tr><th>type</th><th>what</th></tr>
 * <tr><td>{@link EmulatedMachine}</td><td>the machine</td></tr>
 * <tr><td>{@link io.github.comch4j.core.Device}</td><td>with {@link Host @Host} the host's first function, with
 * {@link Dpu @Dpu} the DPU's first device; without them the only side there is</td></tr>
 * <tr><td>{@link io.github.comch4j.core.Representor}</td><td>that of the host's first function</td></tr>
 * <tr><td>{@link io.github.comch4j.core.ProgressEngine}</td><td>one of the test's thread; one more with {@link Host},
 * and with {@link Dpu}</td></tr>
 * <tr><td>{@link io.github.comch4j.core.EventLoop}</td><td>as engines, but running</td></tr>
 * </table>
 *
 * <p>They are closed after the test. What the test itself has opened it closes: an engine, a device, an inventory, or
 * anything on an injected one that is still open after the last {@code @AfterEach} method and after what
 * {@code @AutoClose} closes fails the test, by name and with where it was made, and is closed then. Dynamic tests share
 * the machine of their factory, which fails for what they leave. A {@link PeerProcess} that still runs is ended; one
 * that has ended badly, which the test has not asked for, fails the test. What such a process has written is in the
 * report.
 *
 * <p>On a method it concerns that test; on a class all of its tests and those of nested classes.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EmulatedBlueFieldExtension.class)
public @interface EmulatedBlueField {

    /** For how long a machine is there. */
    enum Scope {
        /** One for each test. */
        TEST,
        /** One for all tests of the class. */
        CLASS
    }

    /**
     * For how long the machine is there. With {@link Scope#CLASS} what was left open is looked for after the last test.
     *
     * @return each test's own, if not said
     */
    Scope scope() default Scope.TEST;

    /**
     * Which devices the process sees.
     *
     * @return both sides, if not said
     */
    EmulatedMachine.Side side() default EmulatedMachine.Side.BOTH;

    /**
     * What the machine consists of: lines of a topology file ({@code docs/emulator.md}), as
     * {@code "host 0000:b1:00.0 pf"}.
     *
     * @return the default machine, if not said: a DPU, and a host with a PF and two VFs
     */
    String[] topology() default {};

    /**
     * Limits of its devices, as {@code "max_msg_size 100"}.
     *
     * @return the default ones, if not said
     */
    String[] limits() default {};

    /**
     * Whether the machine is strict: where DOCA's guides leave open what a device does, it takes the reading that is
     * harder for a program ({@code docs/emulator.md}). The environment variable {@code DOCA_EMU_STRICT} has the last
     * word.
     *
     * @return false, if not said
     */
    boolean strict() default false;

    /**
     * Faults of this process on the machine from the beginning of each test, as
     * {@link io.github.comch4j.emulator.EmulatedFaults#toString()} has them. They are gone after it, as are those that
     * it has applied itself.
     *
     * @return none, if not said
     */
    String faults() default "";

    /**
     * Whether what was left open fails the test.
     *
     * @return true, if not said
     */
    boolean failOnLeaks() default true;

    /** A parameter is of the host's side. */
    @Documented
    @Target(ElementType.PARAMETER)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Host {}

    /** A parameter is of the DPU's side. */
    @Documented
    @Target(ElementType.PARAMETER)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Dpu {}
}
