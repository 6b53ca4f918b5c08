package io.github.comch4j.internal.transport;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.ConnectionCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.EnumMap;
import java.util.Map;

/**
 * The stubs that DOCA calls: one per C signature, for all engines. Pointers and {@code union
 * doca_data} arrive as {@code long}.
 *
 * <p>None of them may throw, as that would end the VM.
 */
@SuppressWarnings("unused") // found by their names; what DOCA hands over beyond need stays unread
public final class Upcalls {
    /**
     * The shape of all of them, whatever they take: the JVM takes some milliseconds for each shape. A stub reads what
     * it is not given from registers that hold something else, and of what is shorter than a word the upper bits.
     */
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.ofVoid(
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private static final Map<Stub, MemorySegment> ADDRESSES = new EnumMap<>(Stub.class); // guarded by the class
    private static int engines; // that there are; guarded by the class, as the following
    private static Arena arena; // of the stubs; null: there is no engine

    /** A stub: made when it is first asked for, and gone with the last engine. */
    public enum Stub {
        /** {@code doca_ctx_state_changed_callback_t}. */
        STATE_CHANGED("stateChanged"),
        /** The completion callback of all task types: they differ in a pointer's type only. */
        TASK_COMPLETED("taskCompleted"),
        /** The error callback of all task types. */
        TASK_FAILED("taskFailed"),
        /** {@code doca_comch_event_connection_status_changed_cb_t} for a new connection. */
        CONNECTED("connected"),
        /** {@code doca_comch_event_connection_status_changed_cb_t} for the end of one. */
        DISCONNECTED("disconnected"),
        /** {@code doca_comch_event_consumer_cb_t} for a new consumer. */
        CONSUMER_NEW("consumerNew"),
        /** {@code doca_comch_event_consumer_cb_t} for one that expired. */
        CONSUMER_EXPIRED("consumerExpired"),
        /** {@code doca_comch_event_msg_recv_cb_t}, without the batch library. */
        MESSAGE("message"),
        /** {@code doca_cc_event_msg_recv_cb_t} of DOCA 2.5, where the length is a {@code size_t}. */
        WIDE_MESSAGE("wideMessage"),
        /** What the batch library calls, with the user data of the connection. */
        MESSAGE_OF("messageOf");

        private final String method;

        Stub(String method) {
            this.method = method;
        }

        /** For C. There has to be an engine. */
        public MemorySegment address() {
            return addressOf(this);
        }
    }

    private static synchronized MemorySegment addressOf(Stub stub) {
        MemorySegment address = ADDRESSES.get(stub);
        if (address == null) {
            address = stub(stub.method);
            ADDRESSES.put(stub, address);
        }
        return address;
    }

    /**
     * There is one engine more. The JVM holds what stubs call, and with it this class's loader, so they are there only
     * as long as somebody may call them: an application that has closed everything can be replaced.
     */
    static synchronized void engineBegins() {
        if (engines++ == 0) {
            arena = Arena.ofShared();
            Events.used();
        }
    }

    /** There is one engine less. */
    static synchronized void engineEnds() {
        if (--engines == 0) {
            ADDRESSES.clear();
            arena.close();
            arena = null;
            Events.unused();
        }
    }

    /** What tells one set of stubs from another; null while there is no engine. */
    static synchronized Object generation() {
        return arena;
    }

    /** The contexts that native user data leads to. */
    public static final Registry<ContextEvents> CONTEXTS = new Registry<>();

    private Upcalls() {}

    private static void stateChanged(long userData, long context, long previousState, long nextState) {
        int previous = (int) previousState;
        int next = (int) nextState;
        ContextEvents events = CONTEXTS.find(userData);
        if (events == null) {
            return; // its object is being destroyed
        }
        try {
            if (previous == ContextCalls.RUNNING) {
                events.leavesRunning();
            }
            events.transport().deliverPending();
            events.stateChanged(previous, next);
        } catch (Throwable t) {
            events.failed(t);
        }
    }

    private static void taskCompleted(long task, long taskUserData, long contextUserData, long none) {
        taskEnded(task, taskUserData, contextUserData, true);
    }

    private static void taskFailed(long task, long taskUserData, long contextUserData, long none) {
        taskEnded(task, taskUserData, contextUserData, false);
    }

    private static void taskEnded(long task, long taskUserData, long contextUserData, boolean success) {
        ContextEvents events = CONTEXTS.find(contextUserData);
        if (events == null) {
            Log.logger().log(System.Logger.Level.WARNING, "DOCA reported a task of a context that is gone");
            return;
        }
        try {
            events.transport().deliverPending();
            events.taskEnded(task, taskUserData, success);
        } catch (Throwable t) {
            events.failed(t);
        }
    }

    private static void message(long event, long buffer, long length, long connection) {
        wideMessage(event, buffer, length & 0xffff_ffffL, connection);
    }

    private static void wideMessage(long event, long buffer, long length, long connection) {
        ConnectionEvents events = null;
        try {
            events = ConnectionEvents.of(connection);
            deliver(events, buffer, length);
        } catch (Throwable t) {
            fail(events, t);
        }
    }

    private static void messageOf(long buffer, long length, long connection, long userData) {
        ConnectionEvents events = null;
        try {
            events = ConnectionEvents.of(connection, userData);
            deliver(events, buffer, length);
            if (events != null) {
                events.transport().cameAlone(length);
            }
        } catch (Throwable t) {
            fail(events, t);
        }
    }

    private static void deliver(ConnectionEvents events, long buffer, long length) {
        if (events != null) {
            events.transport().deliverPending();
            if (length < 0 || length > Integer.MAX_VALUE) {
                throw Failures.refused(
                        DocaError.TOO_BIG,
                        "doca_pe_progress",
                        "receiving a message of " + Long.toUnsignedString(length) + " bytes");
            }
            events.message(buffer, (int) length);
        }
    }

    private static void connected(long event, long connection, long success, long none) {
        EndpointEvents events = null;
        try {
            events = Endpoints.of(connection);
            if (events != null) {
                events.transport().deliverPending();
                events.connected(connection, (byte) success != 0);
            }
        } catch (Throwable t) {
            if (events != null) {
                events.failed(t);
            } else {
                homeless(t);
            }
        }
    }

    private static void disconnected(long event, long connection, long success, long none) {
        ConnectionEvents events = null;
        try {
            // not of(): a connection that this process ended, or never knew, is not made known now
            events = ConnectionEvents.find(ConnectionCalls.getUserData(connection));
            if (events != null) {
                events.transport().deliverPending();
                events.disconnected((byte) success != 0);
            }
        } catch (Throwable t) {
            fail(events, t);
        }
    }

    private static void consumerNew(long event, long connection, long id, long none) {
        consumer(connection, (int) id, true);
    }

    private static void consumerExpired(long event, long connection, long id, long none) {
        consumer(connection, (int) id, false);
    }

    private static void consumer(long connection, int id, boolean created) {
        ConnectionEvents events = null;
        try {
            events = ConnectionEvents.of(connection);
            if (events != null) {
                events.transport().deliverPending();
                events.consumer(id, created);
            }
        } catch (Throwable t) {
            fail(events, t);
        }
    }

    private static void fail(ConnectionEvents events, Throwable thrown) {
        if (events != null) {
            events.failed(thrown);
        } else {
            homeless(thrown);
        }
    }

    private static void homeless(Throwable thrown) {
        Log.logger().log(System.Logger.Level.ERROR, "a callback without an engine failed", thrown);
    }

    private static MemorySegment stub(String method) {
        try {
            return Symbols.upcall(
                    MethodHandles.lookup().findStatic(Upcalls.class, method, SHAPE.toMethodType()), SHAPE, arena);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
