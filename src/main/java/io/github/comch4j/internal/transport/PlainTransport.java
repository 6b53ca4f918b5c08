package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.PeCalls;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Without the batch library: a downcall for each step, an upcall for each event. */
final class PlainTransport extends Transport {
    private final long engine;
    private final List<PlainTaskQueue> queues = new ArrayList<>(0);
    private int queued; // in the queues of these, or refused out of them

    PlainTransport(long engine) {
        this.engine = engine;
    }

    @Override
    public int progress(int limit, int spins) {
        int done = 0;
        int left = spins;
        while (done < limit && !hasFailed()) {
            if ((queued > 0 && queuesWork()) || PeCalls.progress(engine) != 0) {
                done++;
            } else if (done > 0 || left-- == 0) {
                break;
            }
        }
        return done;
    }

    private boolean queuesWork() {
        for (int i = 0; i < queues.size(); i++) {
            if (queues.get(i).work()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean prepareToSleep() {
        boolean work = false;
        for (PlainTaskQueue queue : queues) {
            queue.flush();
            work |= queue.hasRefused();
        }
        return work;
    }

    @Override
    public boolean holdsTasksBack() {
        for (PlainTaskQueue queue : queues) {
            if (queue.queued() != 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void deliverPending(ContextEvents context) {
        // nothing waits: each event is an upcall
    }

    @Override
    void deliverPending() {
        // as above
    }

    @Override
    public TaskQueue taskQueue(ContextEvents context, SlotEvents slots, MemorySegment view, TaskKind kind, int tasks) {
        PlainTaskQueue queue = new PlainTaskQueue(this, slots, kind, tasks);
        queues.add(queue);
        return queue;
    }

    @Override
    public MessageSender messageSender(ContextEvents context, MemorySegment endpoint, long key, EndpointCalls calls) {
        return new PlainMessageSender(endpoint, calls);
    }

    void remove(PlainTaskQueue queue) {
        queues.remove(queue);
    }

    /** The queues have become longer or shorter. */
    void queued(int difference) {
        queued += difference;
    }

    @Override
    void release() {
        // nothing native of its own
    }
}
