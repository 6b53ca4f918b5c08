package io.github.comch4j.transfer;

import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.BufferListState;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Handle;
import java.util.function.Function;

/** The internal objects of the public ones of the core package. */
public final class CoreObjects {
    private static final Function<ProgressEngine, Engine> ENGINE = Internals.of(ProgressEngine.class);
    private static final Function<Device, Handle> DEVICE = Internals.of(Device.class);

    private CoreObjects() {}

    /** Apart: a client has none. */
    private static final class OfServers {
        static final Function<Representor, Handle> REPRESENTOR = Internals.of(Representor.class);

        private OfServers() {}
    }

    /** Apart: who only sends messages has none. */
    private static final class OfFastPath {
        static final Function<Buffer, BufferState> BUFFER = Internals.of(Buffer.class);
        static final Function<BufferList, BufferListState> BUFFER_LIST = Internals.of(BufferList.class);
        static final Function<MemoryMap, Handle> MEMORY_MAP = Internals.of(MemoryMap.class);
        static final Function<BufferInventory, Runnable> INVENTORY_END = Internals.of(BufferInventory.class);

        private OfFastPath() {}
    }

    /** Closes an inventory, but for the buffers that the program has kept, with the last of which it closes. */
    public static void end(BufferInventory inventory) {
        OfFastPath.INVENTORY_END.apply(inventory).run();
    }

    public static Engine of(ProgressEngine engine) {
        return ENGINE.apply(engine);
    }

    public static BufferState of(Buffer buffer) {
        return OfFastPath.BUFFER.apply(buffer);
    }

    public static BufferListState of(BufferList list) {
        return OfFastPath.BUFFER_LIST.apply(list);
    }

    public static Handle of(Device device) {
        return DEVICE.apply(device);
    }

    public static Handle of(Representor representor) {
        return OfServers.REPRESENTOR.apply(representor);
    }

    public static Handle of(MemoryMap memory) {
        return OfFastPath.MEMORY_MAP.apply(memory);
    }
}
