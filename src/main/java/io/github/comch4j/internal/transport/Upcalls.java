package io.github.comch4j.internal.transport;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.ConnectionCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;

/**
 * The stubs that DOCA calls: one per C signature, made once, for the life of the process. Pointers and {@code union
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

    /** {@code doca_ctx_state_changed_callback_t}. */
    public static final MemorySegment STATE_CHANGED = stub(
            "stateChanged",
            FunctionDescriptor.ofVoid(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    /** The completion callback of all task types: they differ in a pointer's type only. */
    static final MemorySegment TASK_COMPLETED = stub("taskCompleted", TASK);
    /** The error callback of all task types. */
    static final MemorySegment TASK_FAILED = stub("taskFailed", TASK);
    /** {@code doca_comch_event_connection_status_changed_cb_t} for a new connection. */
    public static final MemorySegment CONNECTED = stub("connected", CONNECTION);
    /** {@code doca_comch_event_connection_status_changed_cb_t} for the end of one. */
    public static final MemorySegment DISCONNECTED = stub("disconnected", CONNECTION);
    /** {@code doca_comch_event_consumer_cb_t} for a new consumer. */
    public static final MemorySegment CONSUMER_NEW = stub("consumerNew", CONSUMER);
    /** {@code doca_comch_event_consumer_cb_t} for one that expired. */
    public static final MemorySegment CONSUMER_EXPIRED = stub("consumerExpired", CONSUMER);

    /** Without the batch library. In a class of its own, because a process mostly needs one of these. */
    static final class PlainMessage {
        /** {@code doca_comch_event_msg_recv_cb_t}. */
        static final MemorySegment STUB = stub(
                "message",
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    }

    /** As {@link PlainMessage}, for DOCA 2.5, where the length is a {@code size_t}. */
    static final class WideMessage {
        /** {@code doca_cc_event_msg_recv_cb_t}. */
        static final MemorySegment STUB = stub(
                "wideMessage",
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    }

    /** With the batch library. */
    static final class BatchedMessage {
        /** What the batch library calls, with the user data of the connection. */
        static final MemorySegment STUB = stub(
                "messageOf",
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
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
            events.transport().deliverPending();
            events.stateChanged(previous, next);
        } catch (Throwable t) {
            events.transport().fail(t);
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
            events.transport().fail(t);
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
            fail(events == null ? null : events.transport(), t);
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
        fail(events == null ? null : events.transport(), thrown);
    }

    private static void fail(Transport transport, Throwable thrown) {
        if (transport != null) {
            transport.fail(thrown);
        } else {
            Log.logger().log(System.Logger.Level.ERROR, "a callback without an engine failed", thrown);
        }
    }

    private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
        try {
            return Symbols.upcall(
                    MethodHandles.lookup().findStatic(Upcalls.class, method, descriptor.toMethodType()), descriptor);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
