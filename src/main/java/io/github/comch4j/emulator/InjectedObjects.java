package io.github.comch4j.emulator;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.call.ChosenFabric;
import io.github.comch4j.transfer.CoreObjects;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is injected into tests: made once for each machine, by the thread that asks first. */
final class InjectedObjects implements AutoCloseable {

    private final EmulatedMachine machine;
    private final EmulatedMachine.Side seen;
    private final Map<Key, Object> things = new HashMap<>(); // guarded by this
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>(); // guarded by this

    /** {@code side}: as the parameter says; null: it says nothing. */
    private record Key(Class<?> type, EmulatedMachine.@Nullable Side side) {}

    InjectedObjects(EmulatedMachine machine, EmulatedMachine.Side seen) {
        this.machine = machine;
        this.seen = seen;
    }

    /** The one that such parameters have in common. */
    synchronized Object get(Class<?> type, EmulatedMachine.@Nullable Side side) {
        Key key = new Key(type, type == Device.class ? deviceSide(side) : type == Representor.class ? null : side);
        Object thing = things.get(key);
        if (thing == null) {
            // not as one of the test's, which would have to close it
            try (ChosenFabric.Undo _ = machine.choose()) {
                thing = make(key);
            }
            things.put(key, thing);
        }
        return thing;
    }

    private EmulatedMachine.Side deviceSide(EmulatedMachine.@Nullable Side side) {
        if (side != null) {
            return side;
        }
        if (seen == EmulatedMachine.Side.BOTH) {
            throw new IllegalArgumentException("on a machine with both sides, a parameter of type Device needs"
                    + " @EmulatedBlueField.Host or @EmulatedBlueField.Dpu");
        }
        return seen;
    }

    private Object make(Key key) {
        if (key.type == Device.class) {
            Device device = key.side == EmulatedMachine.Side.HOST ? machine.openHost() : machine.openDpu();
            return lend(device, CoreObjects.of(device));
        }
        if (key.type == Representor.class) {
            Device dpu = (Device) get(Device.class, EmulatedMachine.Side.DPU);
            PciAddress first = Optional.of(dpu.representors())
                    .filter(all -> !all.isEmpty())
                    .map(all -> all.get(0).address())
                    .orElseThrow(() -> new IllegalStateException(dpu + " has no representors"));
            Representor representor = dpu.openRepresentor(first);
            return lend(representor, CoreObjects.of(representor));
        }
        if (key.type == ProgressEngine.class) {
            ProgressEngine engine = ProgressEngine.create();
            return lend(engine, CoreObjects.of(engine));
        }
        if (key.type != EventLoop.class) {
            throw new IllegalArgumentException("an emulated machine has no object of type " + key.type.getName());
        }
        EventLoop loop = EventLoop.start(key.side == null ? "loop" : key.side + " loop");
        return lend(loop, CoreObjects.of(loop.engine()));
    }

    private <T extends AutoCloseable> T lend(T thing, io.github.comch4j.internal.life.Resource resource) {
        machine.left().lend(resource);
        toClose.push(thing);
        return thing;
    }

    /** Loops and engines before the devices that they use, and in the reverse order of their making. */
    @Override
    public synchronized void close() {
        List<RuntimeException> failures = new ArrayList<>();
        for (boolean devices : new boolean[] {false, true}) {
            for (AutoCloseable thing : toClose) {
                if (devices == (thing instanceof Device)) {
                    close(thing, failures);
                }
            }
        }
        if (!failures.isEmpty()) {
            RuntimeException first = failures.remove(0);
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }

    private static void close(AutoCloseable thing, List<RuntimeException> failures) {
        try {
            thing.close();
        } catch (RuntimeException e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }
}
