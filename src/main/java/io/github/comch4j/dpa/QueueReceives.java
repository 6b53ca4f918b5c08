package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.SubmitResult;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.CompletionRing;

/** The receive tasks of a queue's consumer: what runs for each message that is received. */
final class QueueReceives extends QueueTasks {
    private final MessageQueueConsumer consumer;
    private final MessageQueueHandler onMessage;
    final Counter received = new Counter();
    private boolean inHandler;
    private boolean keep; // the receive of the handler that runs is not posted again

    QueueReceives(
            MessageQueueConsumer consumer,
            Context context,
            int count,
            int immediateLength,
            MessageQueueHandler onMessage) {
        super(context, true, count, immediateLength);
        this.consumer = consumer;
        this.onMessage = onMessage;
    }

    /** Posts a receive, if one is not posted. */
    SubmitResult post() {
        engine.checkOwner();
        checkRunning();
        if (noneFree()) {
            return SubmitResult.NO_TASK;
        }
        int slot = take();
        String function = TaskCalls.SUBMIT_NAME;
        int code = Calls.SUCCESS;
        if (typed[slot] == 0) {
            function = ConsumerCalls.get().allocateFunction();
            code = allocate(slot);
        }
        if (code == Calls.SUCCESS) {
            code = queue.submit(slot);
        }
        if (code != Calls.SUCCESS) {
            giveBack(slot);
            throw refused(code, function);
        }
        return SubmitResult.ACCEPTED;
    }

    private int allocate(int slot) {
        int code = ConsumerCalls.allocate(context.address(), 0, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            allocated(slot, ConsumerCalls.asTask(staging.result()), 0, 0);
        }
        return code;
    }

    private RuntimeException refused(int code, String function) {
        return Failures.refused(code, function, "posting a receive of " + consumer);
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        do {
            int slot = ring.slot();
            int code = ring.status();
            if (code == Calls.SUCCESS && !context.isEnding()) {
                long origin = ring.origin();
                deliver(slot, (int) origin, ring.immediate(), (int) (origin >>> 32));
            } else {
                failed(slot, code);
            }
        } while (ring.next(index));
    }

    @Override
    public void slotEnded(int slot, int code) {
        if (code != Calls.SUCCESS || context.isEnding()) {
            failed(slot, code);
            return;
        }
        long receive = typed[slot];
        long immediate = ConsumerCalls.immediate(receive);
        deliver(
                slot,
                ConsumerCalls.producer(receive),
                immediate,
                immediate == 0 ? 0 : ConsumerCalls.immediateLength(receive));
    }

    private void deliver(int slot, int producer, long immediate, int length) {
        received.increment();
        keep = false;
        inHandler = true;
        try {
            onMessage.onMessage(consumer, producer, scratch.lend(immediate, length));
        } finally {
            inHandler = false;
            scratch.takeBack();
            handled(slot);
        }
    }

    /** The handler has returned. */
    private void handled(int slot) {
        if (keep || !context.isRunning()) {
            release(slot);
            return;
        }
        int code = queue.submitSoon(slot, inFlight());
        if (code != Calls.SUCCESS) {
            release(slot);
            throw refused(code, TaskCalls.SUBMIT_NAME);
        }
    }

    /** The receive of the handler that runs is not posted again. */
    void keep() {
        engine.checkOwner();
        if (!inHandler) {
            throw new IllegalStateException("keep() is for the handler");
        }
        keep = true;
    }

    private void failed(int slot, int code) {
        failed.increment();
        release(slot);
        if (context.isRunning() && !context.isEnding()) { // else: flushed, because this ends
            DocaError status = DocaError.of(code);
            Events.taskFailed("receive", consumer, status.name());
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "receiving with " + consumer);
        }
    }
}
