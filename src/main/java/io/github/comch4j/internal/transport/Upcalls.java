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
    private static final FunctionDescriptor TASK =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final FunctionDescriptor CONSUMER =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final FunctionDescriptor CONNECTION =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_BYTE);
    private static final FunctionDescriptor LONG_MESSAGE = FunctionDescriptor.ofVoid(
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private static final Map<Stub, MemorySegment> ADDRESSES = new EnumMap<>(Stub.class); // guarded by the class
    private static int engines; // that there are; guarded by the class, as the following
    private static Arena arena; // of the stubs; null: there is no engine

    /** A stub: made when it is first asked for, and gone with the last engine. */
    public enum Stub {
        /** {@code doca_ctx_state_changed_callback_t}. */
        STATE_CHANGED(
                "stateChanged",
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)),
        /** The completion callback of all task types: they differ in a pointer's type only. */
        TASK_COMPLETED("taskCompleted", TASK),
        /** The error callback of all task types. */
        TASK_FAILED("taskFailed", TASK),
        /** {@code doca_comch_event_connection_status_changed_cb_t} for a new connection. */
        CONNECTED("connected", CONNECTION),
        /** {@code doca_comch_event_connection_status_changed_cb_t} for the end of one. */
        DISCONNECTED("disconnected", CONNECTION),
        /** {@code doca_comch_event_consumer_cb_t} for a new consumer. */
        CONSUMER_NEW("consumerNew", CONSUMER),
        /** {@code doca_comch_event_consumer_cb_t} for one that expired. */
        CONSUMER_EXPIRED("consumerExpired", CONSUMER),
        /** {@code doca_comch_event_msg_recv_cb_t}, without the batch library. */
        MESSAGE(
                "message",
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG)),
        /** {@code doca_cc_event_msg_recv_cb_t} of DOCA 2.5, where the length is a {@code size_t}. */
        WIDE_MESSAGE("wideMessage", LONG_MESSAGE),
        /** What the batch library calls, with the user data of the connection. */
        MESSAGE_OF("messageOf", LONG_MESSAGE);

        private final String method;

        @SuppressWarnings("ImmutableEnumChecker") // it is immutable, and does not say so
        private final FunctionDescriptor descriptor;

        Stub(String method, FunctionDescriptor descriptor) {
            this.method = method;
            this.descriptor = descriptor;
        }

        /** For C. There has to be an engine. */
        public MemorySegment address() {
            return addressOf(this);
        }
    }

    private static synchronized MemorySegment addressOf(Stub stub) {
        return ADDRESSES.computeIfAbsent(stub, missing -> stub(missing.method, missing.descriptor));
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

    private static void stateChanged(long userData, long context, int previous, int next) {
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

    private static void taskCompleted(long task, long taskUserData, long contextUserData) {
        taskEnded(task, taskUserData, contextUserData, true);
    }

    private static void taskFailed(long task, long taskUserData, long contextUserData) {
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

    private static void message(long event, long buffer, int length, long connection) {
        wideMessage(event, buffer, Integer.toUnsignedLong(length), connection);
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

    private static void connected(long event, long connection, byte success) {
        EndpointEvents events = null;
        try {
            events = Endpoints.of(connection);
            if (events != null) {
                events.transport().deliverPending();
                events.connected(connection, success != 0);
            }
        } catch (Throwable t) {
            if (events != null) {
                events.failed(t);
            } else {
                homeless(t);
            }
        }
    }

    private static void disconnected(long event, long connection, byte success) {
        ConnectionEvents events = null;
        try {
            // not of(): a connection that this process ended, or never knew, is not made known now
            events = ConnectionEvents.find(ConnectionCalls.getUserData(connection));
            if (events != null) {
                events.transport().deliverPending();
                events.disconnected(success != 0);
            }
        } catch (Throwable t) {
            fail(events, t);
        }
    }

    private static void consumerNew(long event, long connection, int id) {
        consumer(connection, id, true);
    }

    private static void consumerExpired(long event, long connection, int id) {
        consumer(connection, id, false);
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

    private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
        try {
            return Symbols.upcall(
                    MethodHandles.lookup().findStatic(Upcalls.class, method, descriptor.toMethodType()),
                    descriptor,
                    arena);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
