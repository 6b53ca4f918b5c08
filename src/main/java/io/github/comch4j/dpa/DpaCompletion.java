package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaCompletionCalls;
import org.jspecify.annotations.Nullable;

/**
 * Reports to kernels that their sends and operations have ended ({@code doca_dpa_completion}). {@link Dpa#completion}
 * creates it.
 */
public final class DpaCompletion extends DpaStartedObject {
    private static final DpaHandle.Kind KIND =
            new DpaHandle.Kind(DpaCompletionCalls::stop, DpaCompletionCalls::destroy);

    DpaCompletion(Dpa dpa, int elements, @Nullable DpaThread thread) {
        super(dpa, make(dpa, elements, thread));
    }

    private static DpaHandle make(Dpa dpa, int elements, @Nullable DpaThread thread) {
        Dpa.checkPositive("elements", elements);
        DpaHandle made = dpa.make(
                KIND,
                "completion of " + elements + " elements",
                (owner, action) -> DpaCompletionCalls.create(owner, elements, action),
                Dpa.resources(thread));
        made.start((completion, action) -> {
            if (thread != null) {
                DpaCompletionCalls.setThread(completion, thread.resource().handle(), action);
            }
            DpaCompletionCalls.start(completion, action);
        });
        return made;
    }

    /**
     * Returns how many elements this completion holds ({@code doca_dpa_completion_get_queue_size}).
     *
     * @return the requested number, rounded up to a power of two
     * @throws IllegalStateException if this completion is closed
     */
    public int size() {
        return resource().ask("asking " + this + " for its size", DpaCompletionCalls::size);
    }

    /**
     * Returns the handle by which kernels refer to this completion ({@code doca_dpa_completion_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this completion is closed
     * @throws io.github.comch4j.DocaException if this completion is stopped
     */
    public long handle() {
        return handle(DpaCompletionCalls::handle);
    }
}
