package io.github.comch4j.internal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;

/**
 * The stubs that DOCA calls: one per C signature, made once, for the life of the process. Pointers and {@code union doca_data} arrive as {@code long}.
 *
 * <p>None of them may throw, as that would end the VM.
 */
public final class Upcalls {
    private static final FunctionDescriptor TASK =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final FunctionDescriptor CONSUMER =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final FunctionDescriptor CONNECTION =
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_BYTE);

    /** {@code doca_ctx_state_changed_callback_t}. */
    static final MemorySegment STATE_CHANGED = stub("stateChanged",
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    /** The completion callback of all task types: they differ in a pointer's type only. */
    static final MemorySegment TASK_COMPLETED = stub("taskCompleted", TASK);
    /** The error callback of all task types. */
    static final MemorySegment TASK_FAILED = stub("taskFailed", TASK);
    /** {@code doca_comch_event_connection_status_changed_cb_t} for a new connection. */
    static final MemorySegment CONNECTED = stub("connected", CONNECTION);
    /** {@code doca_comch_event_connection_status_changed_cb_t} for the end of one. */
    static final MemorySegment DISCONNECTED = stub("disconnected", CONNECTION);
    /** {@code doca_comch_event_consumer_cb_t} for a new consumer. */
    static final MemorySegment CONSUMER_NEW = stub("consumerNew", CONSUMER);
    /** {@code doca_comch_event_consumer_cb_t} for one that went. */
    static final MemorySegment CONSUMER_EXPIRED = stub("consumerExpired", CONSUMER);

    /** Without the native helper. In a class of its own, because a process mostly needs one of the two. */
    static final class PlainMessage {
        /** {@code doca_comch_event_msg_recv_cb_t}. */
        static final MemorySegment STUB = stub("message",
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    }

    /** With the native helper. */
    static final class BatchedMessage {
        /** What the native helper calls, with the user data of the connection. */
        static final MemorySegment STUB = stub("messageOf",
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    }

    private Upcalls() {
    }

    private static void stateChanged(long userData, long context, int previous, int next) {
        Context.onStateChanged(userData, previous, next);
    }

    private static void taskCompleted(long task, long taskUserData, long contextUserData) {
        Context.onTaskEnded(task, taskUserData, contextUserData, true);
    }

    private static void taskFailed(long task, long taskUserData, long contextUserData) {
        Context.onTaskEnded(task, taskUserData, contextUserData, false);
    }

    private static void message(long event, long buffer, int length, long connection) {
        ConnectionSink sink = null;
        try {
            sink = ConnectionSink.of(connection);
            deliver(sink, buffer, length);
        } catch (Throwable t) {
            fail(sink, t);
        }
    }

    private static void messageOf(long buffer, int length, long connection, long userData) {
        ConnectionSink sink = null;
        try {
            sink = ConnectionSink.of(connection, userData);
            deliver(sink, buffer, length);
        } catch (Throwable t) {
            fail(sink, t);
        }
    }

    private static void deliver(ConnectionSink sink, long buffer, int length) {
        if (sink != null) {
            sink.engine().settle();
            sink.message(buffer, length);
        }
    }

    private static void connected(long event, long connection, byte success) {
        ControlContext context = null;
        try {
            context = ControlContext.of(connection);
            if (context != null) {
                context.engine().settle();
                context.connected(connection, success != 0);
            }
        } catch (Throwable t) {
            fail(context == null ? null : context.engine(), t);
        }
    }

    private static void disconnected(long event, long connection, byte success) {
        ConnectionSink sink = null;
        try {
            // not of(): a connection that this side ended, or never knew, is not made known now
            sink = ConnectionSink.find(ConnectionCalls.getUserData(connection));
            if (sink != null) {
                sink.engine().settle();
                sink.disconnected(success != 0);
            }
        } catch (Throwable t) {
            fail(sink, t);
        }
    }

    private static void consumerNew(long event, long connection, int id) {
        consumer(connection, id, true);
    }

    private static void consumerExpired(long event, long connection, int id) {
        consumer(connection, id, false);
    }

    private static void consumer(long connection, int id, boolean created) {
        ConnectionSink sink = null;
        try {
            sink = ConnectionSink.of(connection);
            if (sink != null) {
                sink.engine().settle();
                sink.consumer(id, created);
            }
        } catch (Throwable t) {
            fail(sink, t);
        }
    }

    private static void fail(ConnectionSink sink, Throwable thrown) {
        fail(sink == null ? null : sink.engine(), thrown);
    }

    private static void fail(Engine engine, Throwable thrown) {
        if (engine != null) {
            engine.fail(thrown);
        } else {
            NativeLibrary.logger().log(System.Logger.Level.ERROR, "a callback without an engine failed", thrown);
        }
    }

    /** An upcall that concerns nothing known: worth a line, not an exception. */
    static void lost(String what) {
        NativeLibrary.logger().log(System.Logger.Level.WARNING, "DOCA reported {0}", what);
    }

    private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
        try {
            return Symbols.upcall(MethodHandles.lookup().findStatic(Upcalls.class, method, descriptor.toMethodType()), descriptor);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
