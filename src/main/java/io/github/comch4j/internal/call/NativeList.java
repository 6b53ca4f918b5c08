package io.github.comch4j.internal.call;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.observe.Diagnosis;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * An array of pointers that DOCA lends: devices, or representors of one ({@link DeviceCalls}). Its elements are valid
 * until it is closed.
 */
public final class NativeList implements AutoCloseable {
    private final MemorySegment array;
    private final List<MemorySegment> elements;
    private final Function<MemorySegment, DocaAnswer> destroy;

    private NativeList(MemorySegment array, List<MemorySegment> elements, Function<MemorySegment, DocaAnswer> destroy) {
        this.array = array;
        this.elements = elements;
        this.destroy = destroy;
    }

    /** What fills the pointer to the array, and the number of its elements. */
    interface Create {
        DocaAnswer call(MemorySegment list, MemorySegment count);
    }

    /** {@code mayBeNone}: {@code DOCA_ERROR_NOT_FOUND} is an empty list. */
    @SuppressWarnings("restricted")
    static NativeList create(
            String action, boolean mayBeNone, Create create, Function<MemorySegment, DocaAnswer> destroy) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            DocaAnswer answer = create.call(list, count);
            if (mayBeNone && answer.is(DocaError.NOT_FOUND)) {
                String cause = Diagnosis.lastError();
                if (!cause.isEmpty()) {
                    throw answer.refused(action + ": " + cause);
                }
                return new NativeList(MemorySegment.NULL, List.of(), destroy);
            }
            answer.check(action);
            int size = count.get(ValueLayout.JAVA_INT, 0);
            MemorySegment array = list.get(ValueLayout.ADDRESS, 0);
            MemorySegment sized = array.reinterpret(size * ValueLayout.ADDRESS.byteSize());
            List<MemorySegment> elements = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                elements.add(sized.getAtIndex(ValueLayout.ADDRESS, i));
            }
            return new NativeList(array, elements, destroy);
        }
    }

    /** One Java object for each element. */
    public <T> List<T> map(Function<MemorySegment, T> mapping) {
        return elements.stream().map(mapping).toList();
    }

    /** The first element with a property. */
    public <T> Optional<MemorySegment> find(T wanted, Function<MemorySegment, T> property) {
        for (MemorySegment element : elements) {
            if (property.apply(element).equals(wanted)) {
                return Optional.of(element);
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        if (!array.equals(MemorySegment.NULL)) {
            // IN_USE means that a device in it is broken: nothing that a caller could do
            DocaAnswer _ = destroy.apply(array);
        }
    }
}
