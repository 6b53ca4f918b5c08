package io.github.comch4j.testing;

import io.github.comch4j.emulator.EmulatedTest;
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
    static <T> T on(EmulatedTest test, T made) {
        return switch (made) {
            case DynamicContainer container -> (T) container(test, container);
            case Stream<?> nodes -> (T) stream(test, nodes);
            case Iterable<?> nodes -> (T) stream(test, StreamSupport.stream(nodes.spliterator(), false));
            case Iterator<?> nodes -> (T) stream(test, streamOf(nodes));
            case Object[] nodes -> (T) stream(test, Arrays.stream(nodes));
            default -> made;
        };
    }

    private static DynamicContainer container(EmulatedTest test, DynamicContainer container) {
        return DynamicContainer.dynamicContainer(
                container.getDisplayName(),
                container.getTestSourceUri().orElse(null),
                stream(test, container.getChildren()));
    }

    private static <N> Stream<N> stream(EmulatedTest test, Stream<N> nodes) {
        Iterator<N> each = nodes.iterator();
        return streamOf(new Iterator<N>() {
                    @Override
                    public boolean hasNext() {
                        return call(test, each::hasNext);
                    }

                    @Override
                    public N next() {
                        return on(test, call(test, each::next));
                    }
                })
                .onClose(nodes::close);
    }

    private static <N> Stream<N> streamOf(Iterator<N> nodes) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(nodes, Spliterator.ORDERED), false);
    }

    private static <R> R call(EmulatedTest test, Supplier<R> work) {
        Runnable undo = test.choose();
        try {
            return work.get();
        } finally {
            undo.run();
        }
    }
}
