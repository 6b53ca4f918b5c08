package io.github.comch4j.core;

import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/** A device or representor that is open. */
final class DeviceHandle extends Handle {
    private final MemorySegment pointer;
    private final BiConsumer<MemorySegment, String> closing;

    DeviceHandle(String name, MemorySegment pointer, BiConsumer<MemorySegment, String> closing, Resource... owners) {
        super(Rank.BASE, name, owners);
        this.pointer = pointer;
        this.closing = closing;
        attach();
    }

    @Override
    protected MemorySegment pointer() {
        return pointer;
    }

    @Override
    protected void release(Teardown teardown) {
        closing.accept(pointer, "closing " + name());
    }
}
