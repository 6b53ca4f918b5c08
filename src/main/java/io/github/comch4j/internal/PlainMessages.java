package io.github.comch4j.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Without the native helper: a downcall for each step, an upcall for each end. */
final class PlainMessages extends Messages {
    private final ControlContext context;
    private final EndpointCalls calls;
    private final MemorySegment allocated = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final Counter ended = new Counter();

    PlainMessages(ControlContext context, EndpointCalls calls) {
        this.context = context;
        this.calls = calls;
    }

    @Override
    public MemorySegment sentCallback() {
        return Upcalls.TASK_COMPLETED;
    }

    @Override
    public MemorySegment notSentCallback() {
        return Upcalls.TASK_FAILED;
    }

    @Override
    public MemorySegment receivedCallback() {
        return Upcalls.PlainMessage.STUB;
    }

    @Override
    public int send(long connection, MemorySegment message, int length, long userData) {
        int code = calls.allocateSend(context.object().address(), connection, message, length, allocated.address());
        if (code != Calls.SUCCESS) {
            return code;
        }
        long task = SendCalls.asTask(allocated.get(ValueLayout.JAVA_LONG, 0));
        TaskCalls.setUserData(task, userData);
        code = TaskCalls.submit(task);
        if (code != Calls.SUCCESS) {
            TaskCalls.free(task);
            return code | SUBMIT;
        }
        return Calls.SUCCESS;
    }

    @Override
    public void free(long task) {
        TaskCalls.free(task);
        ended.increment();
    }

    @Override
    public long ended() {
        return ended.get();
    }
}
