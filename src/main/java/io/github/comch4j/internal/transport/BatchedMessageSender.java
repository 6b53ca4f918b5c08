package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** With the batch library: a downcall for each message, which it frees by itself when it has gone out. */
final class BatchedMessageSender extends MessageSender {
    private static final class MessageCallbacks {
        static final MemorySegment SENT = Batch.function("comch4j_messages_sent");
        static final MemorySegment NOT_SENT = Batch.function("comch4j_messages_not_sent");
        static final MemorySegment RECEIVED =
                Batch.function(EndpointCalls.WIDE ? "comch4j_messages_received_wide" : "comch4j_messages_received");
        static final MemorySegment STATE = Batch.function("comch4j_messages_state");
    }

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    // struct messages_endpoint; not freed by hand, because any thread may read the count at any time
    private final MemorySegment endpoint = Arena.ofAuto().allocate(Batch.ENDPOINT_SIZE, 64);
    private final long address = endpoint.address();

    BatchedMessageSender(MemorySegment nativeObject, long key, EndpointCalls calls) {
        endpoint.set(
                ValueLayout.JAVA_LONG,
                calls instanceof ServerCalls ? Batch.ENDPOINT_SERVER : Batch.ENDPOINT_CLIENT,
                nativeObject.address());
        endpoint.set(ValueLayout.JAVA_LONG, Batch.ENDPOINT_USER_DATA, key);
    }

    /** The {@code struct messages_endpoint}, which is the context's user data. */
    long address() {
        return address;
    }

    static MemorySegment stateCallback() {
        return MessageCallbacks.STATE;
    }

    @Override
    public MemorySegment sentCallback() {
        return MessageCallbacks.SENT;
    }

    @Override
    public MemorySegment notSentCallback() {
        return MessageCallbacks.NOT_SENT;
    }

    @Override
    public MemorySegment receivedCallback() {
        return MessageCallbacks.RECEIVED;
    }

    @Override
    int send(long connection, MemorySegment message, int length, long userData) {
        return Batch.sendMessage(address, connection, message, length, userData);
    }

    @Override
    public long free(long task, long userData) {
        TaskCalls.free(task);
        return userData; // C has counted, and looked it up
    }

    @Override
    public long ended() {
        return (long) LONG.getOpaque(endpoint, (long) Batch.ENDPOINT_ENDED);
    }
}
