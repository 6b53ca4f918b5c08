package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.EndpointCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * With the batch library: completions of producers and consumers, and messages of the control path, wait in a
 * {@link CompletionRing} until the native call that brought them has returned.
 *
 * <p>All callbacks of an engine run in the order of their events: an upcall of a server or client first has the entries
 * delivered that came before it ({@link #deliverPending()}).
 */
final class BatchedTransport extends Transport {
    /**
     * Rounds in one downcall at most: so many that the price of the call does not matter, so few that the first message
     * does not wait long for the last. One more than the sends of a queue: that is the look that finds no more of them.
     */
    private static final int MAX_ROUNDS = Batch.QUEUED + 1;

    private static final int MAX_CONTEXTS = 0x10000;

    /** Instead of the states of an entry: delivered out of turn. */
    private static final long DELIVERED = -1;

    // closed with the engine, which may have been handed to another thread
    private final Arena arena = Arena.ofShared();
    private final ContextMemory contextMemory = new ContextMemory(arena);
    private final long address; // struct batch_engine
    private final CompletionRing ring;
    private Inbox inbox; // null: no server or client yet
    private Inbox longInbox; // null: no long message yet
    private SlotEvents[] slots = new SlotEvents[4]; // by the context's index
    private BatchedTaskQueue[] queues = new BatchedTaskQueue[4];
    private int queuedSends; // queues of producers that may have something in them
    private boolean delivering;
    private boolean prefetches = true;

    BatchedTransport(long engine) {
        address = arena.allocate(Batch.ENGINE_SIZE, 64).address();
        Batch.setLong(address + Batch.ENGINE_PE, engine);
        ring = new CompletionRing(arena, address);
    }

    long address() {
        return address;
    }

    /** The memory of its contexts. */
    ContextMemory contextMemory() {
        return contextMemory;
    }

    @Override
    public TaskQueue taskQueue(ContextEvents context, SlotEvents owner, MemorySegment view, TaskKind kind, int tasks) {
        if (kind == TaskKind.COPY) {
            Batch.initialiseCopies();
        }
        int index = 0;
        while (index < queues.length && queues[index] != null) {
            index++;
        }
        if (index == MAX_CONTEXTS) {
            throw new IllegalStateException(
                    "a progress engine takes at most " + MAX_CONTEXTS + " producers and consumers");
        }
        if (index == queues.length) {
            slots = Arrays.copyOf(slots, 2 * index);
            queues = Arrays.copyOf(queues, 2 * index);
        }
        ring.add(tasks);
        BatchedTaskQueue queue = new BatchedTaskQueue(this, context, owner, index, view.address(), kind, tasks);
        slots[index] = owner;
        queues[index] = queue;
        linkContexts();
        context.reportStateTo(queue.address(), BatchedTaskQueue.stateCallback());
        return queue;
    }

    @Override
    public MessageSender messageSender(ContextEvents context, MemorySegment endpoint, long key, EndpointCalls calls) {
        if (inbox == null) {
            inbox = new Inbox(arena, Batch.MESSAGES, Batch.MESSAGE_LEN);
            ring.add(inbox, Batch.ENGINE_INBOX);
        }
        BatchedMessageSender sender = new BatchedMessageSender(endpoint, key, calls);
        context.reportStateTo(sender.address(), BatchedMessageSender.stateCallback());
        return sender;
    }

    /** A producer or consumer is gone, and so are its tasks. */
    void remove(int index, int tasks) {
        ring.remove(tasks);
        slots[index] = null;
        queues[index] = null;
        linkContexts();
    }

    /** Links the list of contexts that the batch library walks. */
    private void linkContexts() {
        long next = 0;
        for (BatchedTaskQueue queue : queues) {
            if (queue != null) {
                Batch.setLong(queue.address() + Batch.CONTEXT_NEXT, next);
                next = queue.address();
            }
        }
        Batch.setLong(address + Batch.ENGINE_CONTEXTS, next);
    }

    /** Tells producers of the slots that sends have freed, before anything else of the same progress is told. */
    private void deliverFreed() {
        long next = Batch.getLong(address + Batch.ENGINE_FREED);
        while (next != 0) {
            int index = Batch.contextIndex(next);
            next = Batch.getLong(next + Batch.CONTEXT_NEXT_FREED);
            Batch.setLong(address + Batch.ENGINE_FREED, next);
            slots[index].slotsFreed(queues[index].takeFreed());
        }
    }

    @Override
    public int progress(int limit, int spins) {
        int done = 0;
        if (!ring.isEmpty()) {
            if (queuedSends > 0) {
                flushSends();
            }
            done = deliver(limit, false);
        }
        while (done < limit && !hasFailed()) {
            int ask = rounds(limit - done);
            ring.restart();
            int rounds = Batch.progress(address, ask, done == 0 ? spins : 0);
            done += deliverRounds(limit - done);
            if (rounds < ask) {
                break;
            }
        }
        return Math.min(done, limit); // C was perhaps asked for more, and freed slots are told at once
    }

    /** How many rounds of progress to ask C for, where the program wants up to {@code limit} events. */
    private int rounds(int limit) {
        if (hasEndpoints()) {
            // more rounds than asked for would run more handlers, and the inbox has no more places
            return Math.min(limit, Batch.MESSAGES);
        }
        return limit == 1 && prefetches ? MAX_ROUNDS : Math.min(limit, MAX_ROUNDS);
    }

    /** What rounds of progress have brought since {@link CompletionRing#restart}; returns how many events it was. */
    private int deliverRounds(int limit) {
        announceStates();
        deliverFreed();
        int done = Batch.getInt(address + Batch.ENGINE_OTHERS) + ring.head(); // those before an upcall are delivered
        return done < limit && !hasFailed() ? done + deliver(limit - done, false) : done;
    }

    @Override
    public int poll(TaskQueue queue, SlotEvents consumer, int limit, int spins) {
        if (!ring.isEmpty()) {
            return progress(limit, spins);
        }
        long context = ((BatchedTaskQueue) queue).address();
        boolean rows = consumer.takesRows();
        int done = 0;
        int ask;
        int came;
        do {
            ask = rounds(limit - done);
            ring.restart();
            int looks = done == 0 ? spins : 0;
            came = rows ? Batch.pollRows(context, ask, looks) : Batch.poll(context, ask, looks);
            if (came < 0 && ring.takeFirst()) {
                deliverAlone(consumer, came & ~Batch.ALONE);
                return done + 1;
            }
            done += deliverRounds(limit - done);
        } while (came == ask && done < limit && !hasFailed());
        return Math.min(done, limit);
    }

    private void deliverAlone(SlotEvents consumer, int slot) {
        delivering = true;
        try {
            consumer.slotReceived(ring, slot);
        } catch (Throwable t) {
            consumer.failed(t);
        } finally {
            delivering = false;
        }
    }

    /** Delivers up to {@code limit} entries; the first that fails the progress is the last, unless all must go. */
    private int deliver(int limit, boolean all) {
        delivering = true;
        ring.allow(limit);
        try {
            while (ring.hasNext()) {
                deliverSome();
                if (hasFailed() && !all) {
                    break;
                }
            }
        } finally {
            delivering = false;
        }
        return limit - ring.left();
    }

    /** A change of state, a message, or the known tasks of one context up to the next entry of another one. */
    private void deliverSome() {
        ring.take();
        if (ring.isTask()) {
            deliverTasks(ring.context());
        } else if (ring.isState()) {
            deliverState(queues[ring.context()].context(), ring.entry());
        } else {
            deliverMessage();
        }
    }

    private void deliverTasks(int context) {
        SlotEvents owner = slots[context];
        try {
            owner.slotsEnded(ring, context);
        } catch (Throwable t) {
            owner.failed(t);
        }
    }

    private void deliverMessage() {
        ConnectionEvents events = ConnectionEvents.find(ring.connection());
        if (events == null) {
            return; // the connection has ended since
        }
        try {
            if (ReceivedMemory.STRICT) {
                events.message(ring.message(), ring.messageLength());
            } else {
                int length = ring.messageLength();
                events.message((length <= Batch.MESSAGE_LEN ? inbox : longInbox).view(ring.message(), length));
            }
        } catch (Throwable t) {
            events.failed(t);
        }
    }

    @Override
    void cameAlone(long length) {
        if (longInbox == null && length > Batch.MESSAGE_LEN && length <= Batch.LONG_LEN) {
            longInbox = new Inbox(arena, Batch.LONG_MESSAGES, Batch.LONG_LEN);
            ring.add(longInbox, Batch.ENGINE_LONG_INBOX);
        }
    }

    private static void deliverState(ContextEvents context, long entry) {
        long states = CompletionRing.dataLength(entry);
        if (states != DELIVERED) {
            Batch.setLong(entry + Batch.ENTRY_DATA_LEN, DELIVERED);
            try {
                context.stateChanged((int) states, (int) (states >>> 32));
            } catch (Throwable t) {
                context.failed(t);
            }
        }
    }

    /** Tells the contexts that run no more, if the batch library has met a change of state. */
    private void announceStates() {
        if (Batch.getInt(address + Batch.ENGINE_STOP) == 0) {
            return;
        }
        for (BatchedTaskQueue queue : queues) {
            int index = queue == null ? -1 : queue.index();
            for (int at = index < 0 ? -1 : ring.findState(ring.head(), index);
                    at >= 0;
                    at = ring.findState(at + 1, index)) {
                if (isEnd(CompletionRing.dataLength(ring.at(at)))) {
                    queue.context().leavesRunning();
                }
            }
        }
    }

    private static boolean isEnd(long states) {
        return states != DELIVERED && (int) states == ContextCalls.RUNNING;
    }

    /** Does nothing inside another callback, which further callbacks must not interrupt. */
    @Override
    void deliverPending() {
        if (!delivering) {
            ring.endRow();
            announceStates();
            deliverFreed();
            if (!ring.isEmpty()) {
                deliver(Integer.MAX_VALUE, true);
            }
            ring.emptyInboxes();
        }
    }

    /** Inside a callback only changes of this context's state are delivered out of turn. */
    @Override
    public void deliverPending(ContextEvents context) {
        if (!delivering) {
            deliverPending();
            return;
        }
        int index = 0;
        while (index < queues.length && (queues[index] == null || queues[index].context() != context)) {
            index++;
        }
        for (int at = ring.findState(ring.head(), index); at >= 0; at = ring.findState(at + 1, index)) {
            deliverState(context, ring.at(at));
        }
    }

    @Override
    public void fail(Throwable thrown) {
        super.fail(thrown);
        Batch.setInt(address + Batch.ENGINE_STOP, 1); // the native loop is to end
    }

    /** The queue of a producer is not empty any more ({@code 1}), or is empty again ({@code -1}). */
    void sendsQueued(int difference) {
        queuedSends += difference;
    }

    /** Nothing may wait in a queue or in the ring, as the engine's descriptor does not become readable for it. */
    @Override
    public boolean prepareToSleep() {
        for (BatchedTaskQueue queue : queues) {
            if (queue != null) {
                queue.flush();
            }
        }
        return !ring.isEmpty();
    }

    @Override
    public boolean holdsTasksBack() {
        for (BatchedTaskQueue queue : queues) {
            if (queue != null && queue.queued() != 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void stopPrefetching() {
        prefetches = false;
    }

    private void flushSends() {
        for (BatchedTaskQueue queue : queues) {
            if (queue != null && queue.hasQueuedSends()) {
                queue.flush();
            }
        }
    }

    @Override
    void release() {
        arena.close();
    }
}
