package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.Experimental;
import io.github.comch4j.ffi.dpa.dpa_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Sync events as a kernel in Java uses them. Valid as long as the {@link KernelContext} that it is of. */
@Experimental("names and defaults may change until other projects have used it")
public final class KernelEvents {
    private final KernelContext context;
    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_LONG); // what calls return by a pointer

    KernelEvents(KernelContext context) {
        this.context = context;
    }

    /**
     * The value of a sync event ({@code doca_dpa_dev_sync_event_get}).
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
     * @param value how much
     */
    public void add(long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_update_add(event, value);
    }

    /**
     * Sets the value of a sync event ({@code doca_dpa_dev_sync_event_update_set}).
     *
     * @param event the handle of a sync event
     * @param value to what
     */
    public void set(long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_update_set(event, value);
    }

    /**
     * Waits until the value of a sync event is greater than another ({@code doca_dpa_dev_sync_event_wait_gt}).
     *
     * @param event the handle of a sync event
     * @param value what it is compared with, unsigned
     * @param mask which bits of the event's value count
     */
    public void awaitGreater(long event, long value, long mask) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_wait_gt(event, value, mask);
    }

    /**
     * Posts a wait until the value of a sync event is greater than another
     * ({@code doca_dpa_dev_sync_event_post_wait_gt}). What is posted to the same operations afterwards waits for it;
     * the completion of the operations says when it has ended, and so starts the completion's thread.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value what it is compared with: 0 to 254, as the event's value
     */
    public void postAwaitGreater(long operations, long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_gt(operations, event, value);
    }

    /**
     * Posts a wait until the value of a sync event differs from another ({@code doca_dpa_dev_sync_event_post_wait_ne}),
     * as {@link #postAwaitGreater} does.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value what it is compared with
     */
    public void postAwaitUnequal(long operations, long event, long value) {
        context.check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_ne(operations, event, value);
    }
}
