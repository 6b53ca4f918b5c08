package io.github.comch4j.internal.life;

/** Shows in a stack trace which thread handed over a task that failed on another thread. */
public final class SubmitterTrace extends Exception {
    private static final long serialVersionUID = 1L;

    private SubmitterTrace(String message) {
        super(message);
    }

    /**
     * Adds the calling thread's stack, as a suppressed exception, to what another thread threw; returns that.
     *
     * @param where who ran it
     */
    public static Throwable addTo(Throwable thrown, Object where) {
        thrown.addSuppressed(new SubmitterTrace(
                "handed to " + where + " by " + Thread.currentThread().getName()));
        return thrown;
    }
}
