package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaCompletionCalls;

/**
 * A queue with which kernels copy memory and run similar operations without waiting ({@code doca_dpa_async_ops}).
 * {@link Dpa#asyncOps} creates it.
 */
public final class DpaAsyncOps extends DpaStartedObject {
    private static final DpaHandle.Kind KIND =
            new DpaHandle.Kind(DpaCompletionCalls::stopOperations, DpaCompletionCalls::destroyOperations);
    private static final long MOST_USER_DATA = (1L << DpaCompletionCalls.USER_DATA_BITS) - 1;

    private final DpaCompletion completion;

    DpaAsyncOps(Dpa dpa, DpaCompletion completion, int operations, long userData) {
        super(dpa, make(dpa, completion, operations, userData));
        this.completion = completion;
    }

    private static DpaHandle make(Dpa dpa, DpaCompletion completion, int operations, long userData) {
        Dpa.checkPositive("operations", operations);
        if (userData < 0 || userData > MOST_USER_DATA) {
            throw new IllegalArgumentException("user data must be 0 to " + MOST_USER_DATA + ", not " + userData);
        }
        DpaHandle made = dpa.make(
                KIND,
                "queue of " + operations + " operations",
                (owner, action) -> DpaCompletionCalls.createOperations(owner, operations, userData, action),
                completion.resource());
        made.start((queue, action) -> {
            DpaCompletionCalls.attachOperations(queue, completion.resource().handle(), action);
            DpaCompletionCalls.startOperations(queue, action);
        });
        return made;
    }

    /**
     * Returns the completion that reports the end of operations to kernels.
     *
     * @return the completion given at creation
     */
    public DpaCompletion completion() {
        return completion;
    }

    /**
     * Returns how many operations this queue holds ({@code doca_dpa_async_ops_get_queue_size}).
     *
     * @return the requested number, rounded up to a power of two
     * @throws IllegalStateException if this queue is closed
     */
    public int size() {
        return resource().ask("asking " + this + " for its size", DpaCompletionCalls::operationsSize);
    }

    /**
     * Returns the handle by which kernels refer to this queue ({@code doca_dpa_async_ops_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this queue is closed
     * @throws io.github.comch4j.DocaException if this queue is stopped
     */
    public long handle() {
        return handle(DpaCompletionCalls::operationsHandle);
    }
}
