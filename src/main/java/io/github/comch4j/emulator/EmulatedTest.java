package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.call.ChosenFabric;
import io.github.comch4j.internal.call.EmulatorCalls;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EmulatedMachine} with what a test framework needs besides: {@code @EmulatedBlueField} of
 * {@code io.github.comch4j.testing} is made of it for JUnit, and so may be an extension of another framework. Any
 * thread may use it.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class EmulatedTest implements AutoCloseable {
    private final EmulatedMachine machine;
    private final InjectedObjects lent;

    private EmulatedTest(EmulatedMachine machine, EmulatedMachine.Side side) {
        this.machine = machine;
        this.lent = new InjectedObjects(machine, side);
    }

    /** That a thread means a machine. */
    @FunctionalInterface
    public interface Choice extends AutoCloseable {
        /** The thread that has chosen means what it has meant before. */
        @Override
        void close();
    }

    /**
     * A process of a test that is over.
     *
     * @param peer the process, which does not run any more
     * @param failure why the test should fail for it; null: for no reason
     */
    public record Ended(PeerProcess peer, @Nullable AssertionError failure) {}

    /**
     * Makes a machine, as {@link EmulatedMachine#create(EmulatedMachine.Side, List)} does.
     *
     * @param side which devices this process sees
     * @param topology lines of a topology file
     * @return the machine of one test, or of several
     * @throws IllegalStateException if other libraries than the emulation are loaded
     */
    public static EmulatedTest create(EmulatedMachine.Side side, List<String> topology) {
        return new EmulatedTest(EmulatedMachine.create(side, topology), side);
    }

    /**
     * The machine, which {@link #close} closes.
     *
     * @return always the same
     */
    public EmulatedMachine machine() {
        return machine;
    }

    /**
     * The calling thread means this machine, as within {@link EmulatedMachine#call}.
     *
     * @return until this is closed, by the same thread
     */
    public Choice choose() {
        ChosenFabric.Undo undo = machine.choose();
        return undo::close;
    }

    /**
     * Something that the test need not close, but what depends on it: made when it is first asked for.
     *
     * @param type {@link EmulatedMachine}, {@link Device}, {@link Representor}, {@link ProgressEngine} or
     *     {@link EventLoop}
     * @param side which device; engines and loops of either side are two, and null is one more
     * @return the same for the same arguments
     * @throws IllegalArgumentException for a device, if it is not clear which, and for another type
     * @throws IllegalStateException if there is no such device
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public Object lend(Class<?> type, EmulatedMachine.@Nullable Side side) {
        return type == EmulatedMachine.class ? machine : lent.get(type, side);
    }

    /**
     * Replaces the faults of this process on the machine.
     *
     * @param faults as {@link EmulatedFaults#toString()} has them; empty: none
     * @throws IllegalArgumentException if the emulated device refuses a value
     */
    public void setFaults(String faults) {
        try (ChosenFabric.Undo _ = machine.choose()) {
            if (!faults.isEmpty() || EmulatorCalls.present()) {
                EmulatorCalls.setFaults(faults);
            }
        }
    }

    /**
     * Ends the processes that were started on the machine since this was last called, and waits for that.
     *
     * @return all of them, also those that had ended before
     */
    public List<Ended> endPeers() {
        List<Ended> ended = new ArrayList<>();
        for (PeerProcess peer : machine.takePeers()) {
            AssertionError failure = peer.unexpectedEnd();
            peer.close();
            ended.add(new Ended(peer, failure));
        }
        return ended;
    }

    /**
     * Closes what threads that mean the machine have left open.
     *
     * @return a failure for each, with its name, and as its cause where it was made, if that is known
     */
    public List<AssertionError> closeLeaks() {
        List<AssertionError> failures = new ArrayList<>();
        for (UnclosedObjects.Leak leak : machine.left().leaks()) {
            AssertionError failure = new AssertionError(leak.name() + " was not closed", leak.where());
            failure.setStackTrace(new StackTraceElement[0]);
            try {
                leak.closing().run();
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
            failures.add(failure);
        }
        return failures;
    }

    /** Closes what was lent, and the machine. */
    @Override
    public void close() {
        try {
            lent.close();
        } finally {
            machine.close();
        }
    }

    /**
     * For logs.
     *
     * @return the machine's name
     */
    @Override
    public String toString() {
        return machine.toString();
    }
}
