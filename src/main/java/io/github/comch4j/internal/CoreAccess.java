package io.github.comch4j.internal;

import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Set;

/**
 * What other packages of this library may see of the core objects and their users may not. Implemented by the core package, whose
 * {@link ProgressEngine} installs it when it is initialised.
 */
public abstract class CoreAccess {
    private static volatile CoreAccess installed;

    /** For the one implementation. */
    protected CoreAccess() {
    }

    /** The implementation; a constant to the compiler. */
    public static CoreAccess get() {
        return Holder.ACCESS;
    }

    /** Called by the core package. */
    public static void install(CoreAccess access) {
        installed = access;
    }

    /** The engine behind its public face. */
    public abstract Engine engine(ProgressEngine engine);

    /** A device as something that others depend on. */
    public abstract Resource resource(Device device);

    /** The {@code struct doca_dev *}. */
    public abstract MemorySegment handle(Device device);

    /** A representor as something that others depend on. */
    public abstract Resource resource(Representor representor);

    /** The {@code struct doca_dev_rep *}. */
    public abstract MemorySegment handle(Representor representor);

    /** A memory map as something that others depend on. */
    public abstract Resource resource(MemoryMap memory);

    /** The {@code struct doca_mmap *}. */
    public abstract MemorySegment handle(MemoryMap memory);

    /** What devices may do with a memory map; empty if that is not known. */
    public abstract Set<Access> access(MemoryMap memory);

    /** The {@code struct doca_buf *}. */
    public abstract long address(Buffer buffer);

    /** Before a task with the buffer is submitted or queued: checks it and counts it as in flight. */
    public abstract void depart(Buffer buffer, Context context);

    /**
     * As {@link #depart}, for a buffer that has just arrived and goes back to the task that it came with, without its data. False if something else about it has
     * changed, or needs a closer look: then nothing has happened.
     */
    public abstract boolean departEmpty(Buffer buffer);

    /** Whether DOCA does not know where the data segment is; the caller tells it before the submit. */
    public abstract boolean hasMoved(Buffer buffer);

    /** DOCA knows, or is told with the submit. */
    public abstract void moveTold(Buffer buffer);

    /** Where the data segment begins. */
    public abstract long dataAddress(Buffer buffer);

    /** How long the data segment is. */
    public abstract long dataLength(Buffer buffer);

    /** The task ended, or was not submitted after all; the data segment is as it was. */
    public abstract void arrive(Buffer buffer);

    /** The program has handed the buffer over, and nothing is in flight with it any more: closes it, or gives it back to its pool. Otherwise does nothing. */
    public abstract void giveBack(Buffer buffer);

    /** A receive ended: the data segment is {@code length} bytes long now. */
    public abstract void arrive(Buffer buffer, long length);

    private static final class Holder {
        static final CoreAccess ACCESS = initialise();

        private static CoreAccess initialise() {
            try {
                MethodHandles.lookup().ensureInitialized(ProgressEngine.class);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
            return installed;
        }
    }
}
