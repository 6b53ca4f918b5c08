package io.github.comch4j.core;

import io.github.comch4j.internal.Context;
import io.github.comch4j.internal.CoreAccess;
import io.github.comch4j.internal.Engine;
import io.github.comch4j.internal.Resource;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Opens this package's objects to the library's other packages. */
final class CoreAccessImpl extends CoreAccess {
    private CoreAccessImpl() {
    }

    static void install() {
        CoreAccess.install(new CoreAccessImpl());
    }

    @Override
    public Engine engine(ProgressEngine engine) {
        return engine.engine();
    }

    @Override
    public Resource resource(Device device) {
        return device.resource();
    }

    @Override
    public MemorySegment handle(Device device) {
        return device.handle();
    }

    @Override
    public Resource resource(Representor representor) {
        return representor.resource();
    }

    @Override
    public MemorySegment handle(Representor representor) {
        return representor.handle();
    }

    @Override
    public Resource resource(MemoryMap memory) {
        return memory.resource();
    }

    @Override
    public MemorySegment handle(MemoryMap memory) {
        return memory.handle();
    }

    @Override
    public Set<Access> access(MemoryMap memory) {
        return memory.access();
    }

    @Override
    public long address(Buffer buffer) {
        return buffer.address();
    }

    @Override
    public void depart(Buffer buffer, Context context) {
        buffer.depart(context);
    }

    @Override
    public boolean departEmpty(Buffer buffer) {
        return buffer.departEmpty();
    }

    @Override
    public boolean hasMoved(Buffer buffer) {
        return buffer.hasMoved();
    }

    @Override
    public void moveTold(Buffer buffer) {
        buffer.moveTold();
    }

    @Override
    public long dataAddress(Buffer buffer) {
        return buffer.dataAddress();
    }

    @Override
    public long dataLength(Buffer buffer) {
        return buffer.dataLength();
    }

    @Override
    public void arrive(Buffer buffer) {
        buffer.arrive();
    }

    @Override
    public void giveBack(Buffer buffer) {
        buffer.giveBack();
    }

    @Override
    public void arrive(Buffer buffer, long length) {
        buffer.arrive(length);
    }
}
