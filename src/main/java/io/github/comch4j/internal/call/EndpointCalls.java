package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** What servers and clients have in common under different names. */
public abstract sealed class EndpointCalls permits ServerCalls, ClientCalls {

    /** Whether it is DOCA 2.5 that is loaded, which has other types. */
    static final boolean OF_2_5 = NativeLibrary.isCc25();

    /**
     * Whether lengths of messages are a {@code size_t}, to the functions that allocate a task and to the callback for a
     * message that arrives: in DOCA 2.5.
     */
    public static final boolean WIDE = OF_2_5;

    /** Apart, as the batch library makes these calls itself. */
    private static final class Hot {
        static final MethodHandle AS_TASK =
                Symbols.downcall("doca_comch_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

        private Hot() {}
    }

    /** For the two kinds. */
    EndpointCalls() {}

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment endpoint);

    /** {@code …_destroy}. */
    public abstract void destroy(MemorySegment endpoint, String action);

    /** {@code …_set_max_msg_size}, bytes. */
    public abstract void setMaxMessageSize(MemorySegment endpoint, int size, String action);

    /** {@code …_get_max_msg_size}, bytes. */
    public abstract int maxMessageSize(MemorySegment endpoint, String action);

    /** {@code …_set_recv_queue_size}, messages. */
    public abstract void setReceiveQueueSize(MemorySegment endpoint, int size, String action);

    /** {@code …_get_recv_queue_size}, messages. */
    public abstract int receiveQueueSize(MemorySegment endpoint, String action);

    /** {@code …_task_send_set_conf}; {@code tasks} as {@link Pools#size} says. */
    public abstract void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action);

    /** {@code …_event_msg_recv_register}. */
    public abstract void registerMessages(MemorySegment endpoint, MemorySegment received, String action);

    /** {@code …_event_consumer_register}. */
    public abstract void registerConsumers(
            MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action);

    /**
     * {@code …_task_send_alloc_init}: copies the message; the task's pointer is written to {@code out}. Returns
     * {@code doca_error_t}. Hot.
     */
    public abstract int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out);

    /** The C name of {@link #allocateSend}. */
    public abstract String allocateSendFunction();

    /** {@code doca_comch_task_send_as_task}. Hot. */
    public static long asTask(long send) {
        try {
            return (long) Hot.AS_TASK.invokeExact(send);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
