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
 * An {@link EmulatedMachine} with the additional functions that a test framework needs. {@code @EmulatedBlueField} of
 * {@code io.github.comch4j.testing} uses it for JUnit; extensions of other frameworks can use it, too. Any thread may
 * use it.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class EmulatedTest implements AutoCloseable {
    private final EmulatedMachine machine;
    private final InjectedObjects lent;

    private EmulatedTest(EmulatedMachine machine, EmulatedMachine.Side side) {
        this.machine = machine;
        this.lent = new InjectedObjects(machine, side);
    }

    /**
     * Creates a machine, as {@link EmulatedMachine#create(EmulatedMachine.Side, List)} does.
     *
     * @param side the devices that this process sees
     * @param topology lines of a topology file
     * @return the machine for one test, or for several
     * @throws IllegalStateException if libraries other than the emulation are loaded
     */
    public static EmulatedTest create(EmulatedMachine.Side side, List<String> topology) {
        return new EmulatedTest(EmulatedMachine.create(side, topology), side);
    }

    /**
     * Returns the machine, which {@link #close} closes.
     *
     * @return the machine, the same for each call
     */
    public EmulatedMachine machine() {
        return machine;
    }

    /**
     * Makes the calling thread use this machine, as within {@link EmulatedMachine#call}.
     *
     * @return ends the choice: the same thread must run it, and then uses the machine that it used before
     */
    public Runnable choose() {
        return machine.choose()::close;
    }

    /**
     * Lends an object to the test. The test need not close it, but must close everything that depends on it. The first
     * call for an object creates it.
     *
     * @param type {@link EmulatedMachine}, {@link Device}, {@link Representor}, {@link ProgressEngine} or
     *     {@link EventLoop}
     * @param side the side of the device; each side has an engine and a loop of its own, and null stands for one more
     *     of each
     * @return the object, the same for the same arguments
     * @throws IllegalArgumentException for a device, if the side is ambiguous; for any other type
     * @throws IllegalStateException if there is no such device
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public Object lend(Class<?> type, EmulatedMachine.@Nullable Side side) {
        return type == EmulatedMachine.class ? machine : lent.get(type, side);
    }

    /**
     * Replaces the faults of this process on the machine.
     *
     * @param faults the faults in the format of {@link EmulatedFaults#toString()}; empty for none
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
     * Ends the processes started on the machine since the last call of this method, and waits until they have ended.
     *
     * @return all of them, including those that had ended before; {@link PeerProcess#unexpectedEnd} says which of them
     *     should make the test fail
     */
    public List<PeerProcess> endPeers() {
        List<PeerProcess> peers = machine.takePeers();
        peers.forEach(PeerProcess::close);
        return peers;
    }

    /**
     * Closes the objects that threads which use the machine have left open.
     *
     * @return a failure for each object, with its name; the cause of the failure is where the object was created, if
     *     that is known
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

    /** Closes all lent objects, and the machine. */
    @Override
    public void close() {
        try {
            lent.close();
        } finally {
            machine.close();
        }
    }

    /**
     * Returns a description of this test, for logs.
     *
     * @return the machine's name
     */
    @Override
    public String toString() {
        return machine.toString();
    }
}
