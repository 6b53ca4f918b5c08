package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.observe.Counter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Without the batch library: a downcall for each step, an upcall for each end. */
final class PlainMessageSender extends MessageSender {
    private final long endpoint;
    private final EndpointCalls calls;
    private final MemorySegment allocated = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final Counter ended = new Counter();

    PlainMessageSender(MemorySegment endpoint, EndpointCalls calls) {
        this.endpoint = endpoint.address();
        this.calls = calls;
    }

    @Override
    public MemorySegment sentCallback() {
        return Upcalls.Stub.TASK_COMPLETED.address();
    }

    @Override
    public MemorySegment notSentCallback() {
        return Upcalls.Stub.TASK_FAILED.address();
    }

    @Override
    public MemorySegment receivedCallback() {
        return EndpointCalls.WIDE ? Upcalls.Stub.WIDE_MESSAGE.address() : Upcalls.Stub.MESSAGE.address();
    }

    @Override
    int send(long connection, MemorySegment message, int length, long userData) {
        int code = calls.allocateSend(endpoint, connection, message, length, allocated.address());
        if (code != Calls.SUCCESS) {
            return code;
        }
        long task = EndpointCalls.asTask(allocated.get(ValueLayout.JAVA_LONG, 0));
        TaskCalls.setUserData(task, userData);
        code = TaskCalls.submit(task);
        if (code != Calls.SUCCESS) {
            TaskCalls.free(task);
            return code | SUBMIT;
        }
        return Calls.SUCCESS;
    }

    @Override
    public long free(long task, long userData) {
        TaskCalls.free(task);
        ended.increment();
        long place = place(userData);
        MessagePlaces.count(place);
        return MessagePlaces.userData(place);
    }

    @Override
    public long ended() {
        return ended.get();
    }
}
