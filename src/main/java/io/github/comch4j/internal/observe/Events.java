package io.github.comch4j.internal.observe;

/**
 * Events for Java Flight Recorder; none on a path that is run per message.
 *
 * <p>The first use of any event class starts the recorder's machinery, which takes a tenth of a second. So none is
 * touched before a recording has begun; and a JVM may be without the module {@code jdk.jfr}.
 */
public final class Events {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private static Runnable library; // tells which was chosen; null: none yet. Guarded by the class, as the following
    private static Object listener; // of the recorder; null: none

    private Events() {}

    private static boolean isOn() {
        return PRESENT && RecordedEvents.isOn();
    }

    /** Tells of libraries that were chosen; one object, which the recorder is given and asked to forget. */
    private record Chosen(String kind, String location, String version, String reason) implements Runnable {
        @Override
        public void run() {
            RecordedEvents.library(kind, location, version, reason);
        }
    }

    /** The libraries were chosen. */
    public static synchronized void library(String kind, String location, String version, String reason) {
        library = new Chosen(kind, location, version, reason);
        if (isOn()) {
            library.run();
        }
    }

    /** The libraries are in use: each recording says which, also one that begins much later. */
    public static synchronized void used() {
        if (PRESENT && library != null && listener == null) {
            listener = RecordedEvents.tellLibrary(library);
            if (isOn()) {
                library.run(); // the periodic event may come too late
            }
        }
    }

    /** The libraries are not in use any more. */
    public static synchronized void unused() {
        if (listener != null) {
            RecordedEvents.forgetLibrary(listener, library);
            listener = null;
        }
    }

    /** There are no libraries. */
    public static void noLibrary(String reason) {
        if (isOn()) {
            RecordedEvents.library("NONE", null, null, reason);
        }
    }

    /** The handler of a method of a server of calls has held its loop for long. */
    public static void slowHandler(String server, int method, long nanos) {
        if (isOn()) {
            RecordedEvents.slowHandler(server, method, nanos);
        }
    }

    /** A context changed its state. */
    public static void state(String context, int previous, int next) {
        if (isOn()) {
            RecordedEvents.state(context, previous, next);
        }
    }

    /** A connection began, or ended with {@code state}. */
    public static void connection(Object connection, String state) {
        if (isOn()) {
            RecordedEvents.connection(connection, state);
        }
    }

    /**
     * A task that DOCA had accepted failed.
     *
     * @param task "message", "send" or "receive"
     * @param of the connection, producer or consumer
     * @param error the name of DOCA's error
     */
    public static void taskFailed(String task, Object of, String error) {
        if (isOn()) {
            RecordedEvents.taskFailed(task, of, error);
        }
    }

    /** A handler has thrown an exception for a connection. */
    public static void handlerFailed(Object connection, Exception exception) {
        if (isOn()) {
            RecordedEvents.handlerFailed(connection, exception);
        }
    }

    /** The peer of a connection has not read for a while. */
    public static void stalled(Object connection, long messages) {
        if (isOn()) {
            RecordedEvents.stalled(connection, messages);
        }
    }

    /**
     * An episode of back-pressure begins: an event that is to be {@linkplain #ended ended}, or null if there is no
     * recording for it.
     */
    static Object backPressure() {
        return isOn() ? RecordedEvents.backPressure() : null;
    }

    /** An episode of back-pressure has ended. */
    static void ended(Object begun, Object of, String reason, long refusals, boolean room) {
        RecordedEvents.ended(begun, of, reason, refusals, room);
    }
}
