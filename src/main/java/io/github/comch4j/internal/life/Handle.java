package io.github.comch4j.internal.life;

import java.lang.foreign.MemorySegment;

/** A resource whose native object the library's other packages pass to DOCA. */
public abstract class Handle extends Resource {

    /** As the constructor of {@link Resource}. */
    protected Handle(Rank rank, String name, Resource... owners) {
        super(rank, name, owners);
    }

    /** The native object. */
    protected abstract MemorySegment pointer();

    /** The native object; fails if it is closed. */
    public final MemorySegment handle() {
        checkOpen();
        return pointer();
    }
}
