package io.github.comch4j.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Events for Java Flight Recorder; none on a path that is run per message. */
public final class Events {
    private static final String[] STATES = {"IDLE", "STARTING", "RUNNING", "STOPPING"};

    private Events() {
    }

    /** The libraries were chosen, or could not be. */
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

    /** A connection began, or ended with {@code state}. */
    public static void connection(String connection, String state) {
        Connection event = new Connection();
        if (event.shouldCommit()) {
            event.connection = connection;
            event.state = state;
            event.commit();
        }
    }

    /** A message could not be delivered. */
    public static void sendFailed(String connection, String error) {
        SendFailed event = new SendFailed();
        if (event.shouldCommit()) {
            event.connection = connection;
            event.error = error;
            event.commit();
        }
    }

    private static String name(int state) {
        return state >= 0 && state < STATES.length ? STATES[state] : Integer.toString(state);
    }

    /** {@code comch4j.Library}. */
    @Name("comch4j.Library")
    @Label("Native library")
    @Description("The native DOCA libraries of the process were chosen")
    @Category("comch4j")
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
    @Description("A server, client, producer or consumer changed its state")
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

    /** {@code comch4j.SendFailed}. */
    @Name("comch4j.SendFailed")
    @Label("Message not delivered")
    @Description("A control message that was accepted could not be delivered")
    @Category("comch4j")
    @StackTrace(false)
    private static final class SendFailed extends Event {
        @Label("Connection")
        private String connection;
        @Label("Error")
        private String error;
    }
}
