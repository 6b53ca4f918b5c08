package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaCompletionCalls;

/**
 * Lets kernels wake a thread ({@code doca_dpa_notification_completion}), with {@code doca_dpa_dev_thread_notify}.
 * {@link Dpa#notification} creates it.
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
     * Returns the thread that this notification wakes.
     *
     * @return the thread
     */
    public DpaThread thread() {
        return thread;
    }

    /**
     * Returns the handle by which kernels refer to this notification
     * ({@code doca_dpa_notification_completion_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this notification is closed
     * @throws io.github.comch4j.DocaException if this notification is stopped
     */
    public long handle() {
        return handle(DpaCompletionCalls::notificationHandle);
    }
}
