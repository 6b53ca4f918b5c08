package io.github.comch4j.core;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** An array of pointers that DOCA lends: devices, or representors of one. Its elements are valid until it is closed. */
final class NativeList implements AutoCloseable {
    private final MemorySegment array;
    private final List<MemorySegment> elements;
    private final ToIntFunction<MemorySegment> destroy;

    private NativeList(MemorySegment array, List<MemorySegment> elements, ToIntFunction<MemorySegment> destroy) {
        this.array = array;
        this.elements = elements;
        this.destroy = destroy;
    }

    /** The local devices; empty if there are none. */
    static NativeList devices() {
        NativeLibrary.load();
        return create("doca_devinfo_create_list", "listing devices", true, doca_h::doca_devinfo_create_list, doca_h::doca_devinfo_destroy_list);
    }

    /** The representors of a device. */
    static NativeList representors(Device device, RepresentorFilter filter) {
        return create("doca_devinfo_rep_create_list", "listing the representors of " + device, false,
                (list, count) -> doca_h.doca_devinfo_rep_create_list(device.handle(), filter.code(), list, count), doca_h::doca_devinfo_rep_destroy_list);
    }

    private interface Create {
        int call(MemorySegment list, MemorySegment count);
    }

    @SuppressWarnings("restricted")
    private static NativeList create(String function, String action, boolean mayBeNone, Create create, ToIntFunction<MemorySegment> destroy) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            int code = Calls.code(function, () -> create.call(list, count));
            if (mayBeNone && code == DocaError.NOT_FOUND.code()) {
                String cause = NativeLibrary.lastError();
                if (!cause.isEmpty()) {
                    throw new DocaException(code, function, action + ": " + cause);
                }
                return new NativeList(MemorySegment.NULL, List.of(), destroy);
            }
            if (code != Calls.SUCCESS) {
                throw new DocaException(code, function, action);
            }
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
    <T> List<T> map(Function<MemorySegment, T> mapping) {
        return elements.stream().map(mapping).toList();
    }

    /** The element with an address. */
    Optional<MemorySegment> find(PciAddress address, Function<MemorySegment, PciAddress> addressOf) {
        return elements.stream().filter(element -> addressOf.apply(element).equals(address)).findFirst();
    }

    @Override
    public void close() {
        if (!array.equals(MemorySegment.NULL)) {
            destroy.applyAsInt(array); // IN_USE means that a device in it is broken: nothing that a caller could do
        }
    }
}
