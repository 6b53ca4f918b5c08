package io.github.comch4j.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events of {@link Events}, which alone uses this class, and only where the JVM has the recorder. */
@SuppressWarnings("unused") // the recorder reads the fields of events
final class RecordedEvents {
    private static final String[] STATES = {"IDLE", "STARTING", "RUNNING", "STOPPING"};

    /** One object, which the recorder is given and asked to forget. */
    private static final Runnable CALLS = new Runnable() {
        @Override
        public void run() {
            LiveObjects.forEach(RecordedEvents::commitCalls);
        }
    };

    private RecordedEvents() {}

    static boolean isOn() {
        return FlightRecorder.isInitialized();
    }

    /** From now on each recording says which libraries, also one that begins much later. */
    static FlightRecorderListener tellLibrary(Runnable periodic) {
        FlightRecorderListener listener = new FlightRecorderListener() {
            @Override
            public void recorderInitialized(FlightRecorder recorder) {
                FlightRecorder.addPeriodicEvent(Library.class, periodic);
                FlightRecorder.addPeriodicEvent(Calls.class, CALLS);
            }
        };
        FlightRecorder.addListener(listener); // which is called at once if the recorder is initialised already
        return listener;
    }

    /** The recorder, which holds what it calls, and with it the class loader, is not to call this any more. */
    static void forgetLibrary(Object listener, Runnable periodic) {
        FlightRecorder.removeListener((FlightRecorderListener) listener);
        if (isOn()) {
            FlightRecorder.removePeriodicEvent(periodic);
            FlightRecorder.removePeriodicEvent(CALLS);
        }
    }

    static void library(String kind, String location, String version, String reason) {
        Library event = new Library();
        if (event.shouldCommit()) {
            event.kind = kind;
            event.location = location;
            event.version = version;
            event.reason = reason;
            event.commit();
        }
    }

    private static void commitCalls(Object object) {
        if (object instanceof CallCounts counts) {
            Calls event = new Calls();
            if (event.shouldCommit()) {
                event.of = counts.name();
                event.calls = counts.calls();
                event.inFlight = counts.inFlight();
                event.answered = counts.answered();
                event.failed = counts.ended(CallCounts.End.FAILED);
                event.rejected = counts.ended(CallCounts.End.REJECTED);
                event.late = counts.ended(CallCounts.End.LATE);
                event.lost = counts.ended(CallCounts.End.LOST);
                event.time = counts.nanos();
                event.longest = counts.mostNanos();
                event.commit();
            }
        }
    }

    /** The handler of a method of a server of calls has held its loop for long. */
    static void slowHandler(String server, int method, long nanos) {
        SlowHandler event = new SlowHandler();
        if (event.shouldCommit()) {
            event.server = server;
            event.method = method;
            event.held = nanos;
            event.commit();
        }
    }

    /** A context changed its state. */
    static void state(String context, int previous, int next) {
        State event = new State();
        if (event.shouldCommit()) {
            event.context = context;
            event.previous = name(previous);
            event.next = name(next);
            event.commit();
        }
    }

    private static String name(int state) {
        return state >= 0 && state < STATES.length ? STATES[state] : Integer.toString(state);
    }

    /** A connection began, or ended with {@code state}. */
    static void connection(Object connection, String state) {
        Connection event = new Connection();
        if (event.shouldCommit()) {
            event.connection = connection.toString();
            event.state = state;
            event.commit();
        }
    }

    /** A handler has thrown an exception for a connection. */
    static void handlerFailed(Object connection, Exception exception) {
        HandlerFailed event = new HandlerFailed();
        if (event.shouldCommit()) {
            event.connection = connection.toString();
            event.exception = exception.toString();
            event.commit();
        }
    }

    /** The peer of a connection has not read for a while. */
    static void stalled(Object connection, long messages) {
        Stalled event = new Stalled();
        if (event.shouldCommit()) {
            event.connection = connection.toString();
            event.messages = messages;
            event.commit();
        }
    }

    /**
     * A task that DOCA had accepted failed.
     *
     * @param task "message", "send", "receive" or "copy"
     * @param of the connection, producer, consumer or DMA context
     * @param error the name of DOCA's error
     */
    static void taskFailed(String task, Object of, String error) {
        TaskFailed event = new TaskFailed();
        if (event.shouldCommit()) {
            event.task = task;
            event.of = of.toString();
            event.error = error;
            event.commit();
        }
    }

    /**
     * An episode of back-pressure begins: an event that is to be {@linkplain #ended ended}, or null if there is no
     * recording for it.
     */
    static Event backPressure() {
        if (BackPressureType.VALUE.isEnabled()) { // without an object for each episode, once a recorder was in use
            BackPressure event = new BackPressure();
            event.begin();
            return event;
        }
        return null;
    }

    /** Apart: registers the type when it is touched, which needs a recorder. */
    private static final class BackPressureType {
        static final EventType VALUE = EventType.getEventType(BackPressure.class);
    }

    /** An episode of back-pressure has ended. */
    static void ended(Object begun, Object of, String reason, long refusals, boolean room) {
        if (begun instanceof BackPressure event) {
            event.end();
            if (event.shouldCommit()) {
                event.of = of.toString();
                event.reason = reason;
                event.refusals = refusals;
                event.room = room;
                event.commit();
            }
        }
    }

    /** {@code comch4j.Library}. */
    @Name("comch4j.Library")
    @Label("Native library")
    @Description("The native DOCA libraries of the process, or kind NONE when they could not be loaded")
    @Category("comch4j")
    @Period("everyChunk")
    @StackTrace(false)
    private static final class Library extends Event {
        @Label("Kind")
        private String kind;

        @Label("Location")
        private String location;

        @Label("Version")
        private String version;

        @Label("Reason")
        private String reason;
    }

    /** {@code comch4j.ContextState}. */
    @Name("comch4j.ContextState")
    @Label("Context state")
    @Description("A server, client, producer, consumer or DMA context changed its state")
    @Category("comch4j")
    @StackTrace(false)
    private static final class State extends Event {
        @Label("Context")
        private String context;

        @Label("Previous")
        private String previous;

        @Label("Next")
        private String next;
    }

    /** {@code comch4j.Connection}. */
    @Name("comch4j.Connection")
    @Label("Connection")
    @Description("A connection began (OPEN) or ended")
    @Category("comch4j")
    @StackTrace(false)
    private static final class Connection extends Event {
        @Label("Connection")
        private String connection;

        @Label("State")
        private String state;
    }

    /** {@code comch4j.TaskFailed}. */
    @Name("comch4j.TaskFailed")
    @Label("Task failed")
    @Description("A message, a send of a producer, a receive of a consumer or a copy by DMA was accepted and failed")
    @Category("comch4j")
    @StackTrace(false)
    private static final class TaskFailed extends Event {
        @Label("Task")
        private String task;

        @Label("Of")
        @Description("The connection, producer, consumer or DMA context")
        private String of;

        @Label("Error")
        private String error;
    }

    /** {@code comch4j.HandlerFailed}. */
    @Name("comch4j.HandlerFailed")
    @Label("Handler failed")
    @Description("A handler threw an exception for a connection; a server then ends the connection")
    @Category("comch4j")
    @StackTrace(false)
    private static final class HandlerFailed extends Event {
        @Label("Connection")
        private String connection;

        @Label("Exception")
        private String exception;
    }

    /** {@code comch4j.Stalled}. */
    @Name("comch4j.Stalled")
    @Label("Peer does not read")
    @Description("There has been no room for messages to a client for a while, and the client has read none")
    @Category("comch4j")
    @StackTrace(false)
    private static final class Stalled extends Event {
        @Label("Connection")
        private String connection;

        @Label("Messages")
        @Description("Messages in flight to the client")
        private long messages;
    }

    /** {@code comch4j.BackPressure}. */
    @Name("comch4j.BackPressure")
    @Label("Back-pressure")
    @Description("From the first send for which there was no room to the next one that was accepted")
    @Category("comch4j")
    @StackTrace(false)
    private static final class BackPressure extends Event {
        @Label("Of")
        @Description("The connection or producer")
        private String of;

        @Label("Reason")
        @Description("What was missing at first: NO_TASK on this side, or NO_RECEIVE at the peer")
        private String reason;

        @Label("Refusals")
        private long refusals;

        @Label("Room")
        @Description("True if a send was accepted in the end, false if the connection or producer ended first")
        private boolean room;
    }

    /** {@code comch4j.Calls}. */
    @Name("comch4j.Calls")
    @Label("Calls")
    @Description("The calls of a client or server since it began")
    @Category("comch4j")
    @Period("everyChunk")
    @StackTrace(false)
    private static final class Calls extends Event {
        @Label("Of")
        private String of;

        @Label("Calls")
        private long calls;

        @Label("In flight")
        private int inFlight;

        @Label("Answered")
        private long answered;

        @Label("Failed")
        private long failed;

        @Label("Rejected")
        private long rejected;

        @Label("Late")
        private long late;

        @Label("Lost")
        private long lost;

        @Label("Time")
        @Description("Total time of the answered calls")
        @Timespan
        private long time;

        @Label("Longest")
        @Timespan
        private long longest;
    }

    /** {@code comch4j.SlowHandler}. */
    @Name("comch4j.SlowHandler")
    @Label("Slow handler")
    @Description("The handler of a method has blocked the event loop of its server for a long time")
    @Category("comch4j")
    @StackTrace(false)
    private static final class SlowHandler extends Event {
        @Label("Server")
        private String server;

        @Label("Method")
        private int method;

        @Label("Held")
        @Timespan
        private long held;
    }
}
