package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.Experimental;
import io.github.comch4j.ffi.dpa.dpa_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The functions for sync events that a kernel in Java can call. Valid as long as the {@link KernelContext} that
 * returned it.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class KernelEvents {
    private final KernelContext context;
    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_LONG); // what calls return by a pointer

    KernelEvents(KernelContext context) {
        this.context = context;
    }

    /**
     * Returns the value of a sync event ({@code doca_dpa_dev_sync_event_get}).
     *
     * @param event the handle of a sync event
     * @return its value
     */
    public long value(long event) {
        context.check();
        result.set(JAVA_LONG, 0, 0);
        dpa_h.doca_dpa_dev_sync_event_get(event, result);
        return result.get(JAVA_LONG, 0);
    }

    /**
     * Adds to the value of a sync event ({@code doca_dpa_dev_sync_event_update_add}).
     *
     * @param event the handle of a sync event
     * @param value the number to add
     */
    public void add(long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_update_add(event, value);
    }

    /**
     * Sets the value of a sync event ({@code doca_dpa_dev_sync_event_update_set}).
     *
     * @param event the handle of a sync event
     * @param value the new value
     */
    public void set(long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_update_set(event, value);
    }

    /**
     * Waits until the value of a sync event is greater than a number ({@code doca_dpa_dev_sync_event_wait_gt}).
     *
     * @param event the handle of a sync event
     * @param value the number, unsigned
     * @param mask the bits of the event's value that are compared
     */
    public void awaitGreater(long event, long value, long mask) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_wait_gt(event, value, mask);
    }

    /**
     * Posts a wait until the value of a sync event is greater than a number
     * ({@code doca_dpa_dev_sync_event_post_wait_gt}). Operations posted later to the same queue wait for it. The
     * completion of the queue reports the end of the wait, and so starts the completion's thread.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value the number, 0 to 254; the event's value must be in this range, too
     */
    public void postAwaitGreater(long operations, long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_gt(operations, event, value);
    }

    /**
     * Posts a wait until the value of a sync event differs from a number
     * ({@code doca_dpa_dev_sync_event_post_wait_ne}), as {@link #postAwaitGreater} does.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value the number
     */
    public void postAwaitUnequal(long operations, long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_ne(operations, event, value);
    }
}
