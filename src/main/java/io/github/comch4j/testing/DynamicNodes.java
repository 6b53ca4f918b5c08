package io.github.comch4j.testing;

import io.github.comch4j.internal.call.ChosenFabric;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicContainer;

/** What a test factory has returned: most often it is made bit by bit, when JUnit asks for the next one. */
final class DynamicNodes {
    private DynamicNodes() {}

    /** The same nodes, made on that machine. JUnit takes a stream in the place of whatever else there was. */
    @SuppressWarnings("unchecked") // it asks for an object
    static <T> T on(EmulatedMachine machine, T made) {
        return switch (made) {
            case DynamicContainer container -> (T) container(machine, container);
            case Stream<?> nodes -> (T) stream(machine, nodes);
            case Iterable<?> nodes -> (T) stream(machine, StreamSupport.stream(nodes.spliterator(), false));
            case Iterator<?> nodes -> (T) stream(machine, streamOf(nodes));
            case Object[] nodes -> (T) stream(machine, Arrays.stream(nodes));
            default -> made;
        };
    }

    private static DynamicContainer container(EmulatedMachine machine, DynamicContainer container) {
        return DynamicContainer.dynamicContainer(
                container.getDisplayName(),
                container.getTestSourceUri().orElse(null),
                stream(machine, container.getChildren()));
    }

    private static <N> Stream<N> stream(EmulatedMachine machine, Stream<N> nodes) {
        Iterator<N> each = nodes.iterator();
        return streamOf(new Iterator<N>() {
                    @Override
                    public boolean hasNext() {
                        return call(machine, each::hasNext);
                    }

                    @Override
                    public N next() {
                        return on(machine, call(machine, each::next));
                    }
                })
                .onClose(nodes::close);
    }

    private static <N> Stream<N> streamOf(Iterator<N> nodes) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(nodes, Spliterator.ORDERED), false);
    }

    private static <R> R call(EmulatedMachine machine, Supplier<R> work) {
        try (ChosenFabric.Undo _ = machine.choose()) {
            return work.get();
        }
    }
}
