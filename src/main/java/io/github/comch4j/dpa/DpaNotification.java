package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaCompletionCalls;

/**
 * By which a kernel wakes a thread ({@code doca_dpa_notification_completion}), with
 * {@code doca_dpa_dev_thread_notify}; made by {@link Dpa#notification}.
 */
public final class DpaNotification extends DpaStartedObject {
    private static final DpaHandle.Kind KIND =
            new DpaHandle.Kind(DpaCompletionCalls::stopNotification, DpaCompletionCalls::destroyNotification);

    private final DpaThread thread;

    DpaNotification(Dpa dpa, DpaThread thread) {
        super(dpa, make(dpa, thread));
        this.thread = thread;
    }

    private static DpaHandle make(Dpa dpa, DpaThread thread) {
        DpaHandle made = dpa.make(
                KIND,
                "notification of " + thread,
                (owner, action) -> DpaCompletionCalls.createNotification(
                        owner, thread.resource().handle(), action),
                thread.resource());
        made.start(DpaCompletionCalls::startNotification);
        return made;
    }

    /**
     * What it wakes.
     *
     * @return the thread
     */
    public DpaThread thread() {
        return thread;
    }

    /**
     * What kernels call it ({@code doca_dpa_notification_completion_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if it is closed
     * @throws io.github.comch4j.DocaException if it is stopped
     */
    public long handle() {
        return handle(DpaCompletionCalls::notificationHandle);
    }
}
