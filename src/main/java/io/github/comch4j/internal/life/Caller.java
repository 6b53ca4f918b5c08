package io.github.comch4j.internal.life;

/** Shows in a stack trace which thread had something done that failed on another one. */
public final class Caller extends Exception {
    private static final long serialVersionUID = 1L;

    private Caller(String message) {
        super(message);
    }

    /**
     * Suppresses the calling thread's stack in what another thread threw; returns that.
     *
     * @param where who ran it
     */
    public static Throwable addTo(Throwable thrown, Object where) {
        thrown.addSuppressed(new Caller("handed to " + where + " by " + Thread.currentThread().getName()));
        return thrown;
    }
}
