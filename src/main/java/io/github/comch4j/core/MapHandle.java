package io.github.comch4j.core;

import io.github.comch4j.internal.call.MmapCalls;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A native memory map, from its creation to its end. Any thread may use it: its lock is held where DOCA has none. */
final class MapHandle extends Handle {
    private final MemorySegment map;
    private final @Nullable Arena arena; // null: the memory is the program's or another process's

    /** A map that was imported, of so many bytes. */
    MapHandle(Device device, long bytes, MemorySegment imported) {
        super(Rank.BASE, "the imported memory map of " + bytes + " bytes", device.resource());
        this.arena = null;
        this.map = imported;
        try {
            attach();
        } catch (RuntimeException | Error e) {
            MmapCalls.discard(map);
            throw e;
        }
    }

    /** Makes a map of {@code memory}, and starts it; the arena is closed with it. */
    MapHandle(List<Device> devices, int permissions, MemorySegment memory, @Nullable Arena arena, Range range) {
        super(
                Rank.BASE,
                "the memory map of " + memory.byteSize() + " bytes",
                devices.stream().map(Device::resource).toArray(Resource[]::new));
        this.arena = arena;
        String action = "mapping " + memory.byteSize() + " bytes for " + Access.of(permissions);
        map = MmapCalls.create(action);
        try {
            range.set(map, action);
            MmapCalls.setPermissions(map, permissions, action);
            int count = devices.size();
            if (count > MmapCalls.maxDevices(map, action)) {
                MmapCalls.setMaxDevices(map, count, action);
            }
            for (Device device : devices) {
                MmapCalls.addDevice(map, device.handle(), action);
            }
            MmapCalls.start(map, action);
            attach();
        } catch (RuntimeException | Error e) {
            MmapCalls.discard(map);
            throw e;
        }
    }

    /** Tells DOCA which memory a new map is of. */
    interface Range {
        void set(MemorySegment map, String action);
    }

    /** The range of a map that was imported, which is discarded if DOCA does not tell. */
    static MemorySegment rangeOf(MemorySegment imported) {
        try {
            return MmapCalls.range(imported, "importing memory");
        } catch (RuntimeException | Error e) {
            MmapCalls.discard(imported);
            throw e;
        }
    }

    /** Whether the memory ends with the map. */
    boolean ownsMemory() {
        return arena != null;
    }

    byte[] exportPci(Device device) {
        checkOpen();
        synchronized (this) {
            return MmapCalls.exportPci(map, device.handle(), "exporting " + name());
        }
    }

    byte[] exportRdma(Device device) {
        checkOpen();
        synchronized (this) {
            return MmapCalls.exportRdma(map, device.handle(), "exporting " + name());
        }
    }

    boolean isExported() {
        checkOpen();
        return MmapCalls.isExported(map, "asking " + name());
    }

    int buffers() {
        checkOpen();
        synchronized (this) {
            return MmapCalls.buffers(map, "counting the buffers on " + name());
        }
    }

    @Override
    protected MemorySegment pointer() {
        return map;
    }

    @Override
    protected void release(Teardown teardown) {
        synchronized (this) {
            MmapCalls.destroy(map, "closing " + name());
        }
        if (arena != null) {
            try {
                arena.close();
            } catch (IllegalStateException e) {
                teardown.add(e); // another thread is in a native call with the memory; the map is gone all the same
            }
        }
    }
}
