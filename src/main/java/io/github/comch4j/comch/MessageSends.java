package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.ProgressWaiter;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.ConnectionEvents;
import io.github.comch4j.internal.transport.MessageSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * The messages that a server or client sends on its connections, and their tasks. All methods but {@link #inFlight}
 * belong to the engine's owner.
 *
 * <p><b>Shares.</b> The tasks of a server are one pool, and those of a message to a client that does not read end when
 * it reads. So a connection may have at most as many tasks as are free besides: one such client gets half of them, two
 * a third each, and there are always some left for those that read.
 */
final class MessageSends implements ProgressWaiter {
    /** How many times to be asked for room from one look at the clock to the next. */
    private static final int ASKS = 64;

    private final ControlPathEndpoint endpoint;
    private final EndpointSettings settings;
    private final Engine engine;
    private final MessageSender sender;
    private final boolean shares;
    private final ArrayDeque<ComchConnection> refused = new ArrayDeque<>(); // those that wait for room, longest first
    private final ArrayDeque<ComchConnection> unserved = new ArrayDeque<>(0); // of these, in the round that runs
    private boolean awaitsWritable; // the engine asks
    private boolean asksAlways; // for one of them DOCA tells of no room
    private long endedBefore; // tasks, when all of them were asked
    private int asks; // since the last look at the clock
    private final Counter accepted = new Counter();

    MessageSends(ControlPathEndpoint endpoint, MessageSender sender, boolean shares) {
        this.endpoint = endpoint;
        this.settings = endpoint.settings;
        this.engine = endpoint.context.engine();
        this.sender = sender;
        this.shares = shares;
    }

    /** Of a connection that has begun, whose events have this key. */
    OutgoingMessages begin(long key) {
        return new OutgoingMessages(sender.join(key));
    }

    /** The connection has ended. */
    void end(ComchConnection connection) {
        OutgoingMessages outgoing = connection.outgoing();
        outgoing.clear();
        outgoing.takenInAll = taken(connection);
        if (outgoing.awaitsWritable) {
            outgoing.awaitsWritable = false;
            refused.remove(connection);
            unserved.remove(connection);
        }
        sender.leave(outgoing.place, connection.sent());
    }

    /** Messages that were accepted, and were neither delivered nor have failed. Any thread may ask. */
    int inFlight() {
        long ended = sender.ended(); // first: what is accepted meanwhile makes the difference too large, not negative
        return (int) (accepted.get() - ended);
    }

    /** As {@link #inFlight()}, of one connection. */
    long inFlight(ComchConnection connection) {
        return connection.sent() - sender.ended(connection.outgoing().place);
    }

    /** How many of its messages have arrived at the peer's device; of one that has ended, until then. */
    long taken(ComchConnection connection) {
        OutgoingMessages outgoing = connection.outgoing();
        return outgoing.takenInAll >= 0 ? outgoing.takenInAll : sender.ended(outgoing.place) - outgoing.failed;
    }

    /** Whether the connection may have one more task. */
    private boolean hasShare(ComchConnection connection) {
        int free = settings.sendTasks - inFlight();
        long taken = shares ? inFlight(connection) : 0;
        return free > 0 && (taken == 0 || taken < free);
    }

    /** Fails if a message of so many bytes cannot be sent on the connection at all; returns their number. */
    int check(ComchConnection connection, long length) {
        engine.checkOwner();
        if (!connection.isOpen() || !endpoint.context.isRunning()) {
            throw closed(connection, TaskCalls.SUBMIT_NAME);
        }
        if (length < 1 || length > endpoint.maxMessageSize()) {
            throw new IllegalArgumentException(
                    connection + " takes messages of 1 to " + endpoint.maxMessageSize() + " bytes, not " + length);
        }
        return (int) length;
    }

    /** Submits a message, if there is room; {@code bytes} is native. */
    SubmitResult send(ComchConnection connection, MemorySegment bytes, int length) {
        if (connection.outgoing().isQueueing() || (shares && !hasShare(connection))) {
            return noRoom(connection, SubmitResult.NO_TASK);
        }
        SubmitResult result = submit(connection, bytes, length);
        return result.accepted() ? result : noRoom(connection, result);
    }

    /** Returns what there was none of, if there was no room; the connection does not wait for it yet. */
    private SubmitResult submit(ComchConnection connection, MemorySegment bytes, int length) {
        int result = sender.send(connection.address(), bytes, length, connection.outgoing().place, connection.sent());
        if (result != Calls.SUCCESS) {
            return refused(connection, result, length);
        }
        accepted.increment();
        connection.counts().accepted(length);
        return SubmitResult.ACCEPTED;
    }

    /** Returns what there was none of, or throws if it was not for lack of room. */
    private SubmitResult refused(ComchConnection connection, int result, int length) {
        int code = result & ~MessageSender.SUBMIT;
        if (code == DocaError.AGAIN.code()) {
            asksAlways = true;
            return SubmitResult.NO_RECEIVE;
        }
        boolean submit = code != result;
        // with nothing in flight the pool of tasks cannot be empty: then it is memory that there is none of
        if (!submit && code == DocaError.NO_MEMORY.code() && inFlight() > 0) {
            return SubmitResult.NO_TASK;
        }
        throw failure(connection, code, submit ? TaskCalls.SUBMIT_NAME : endpoint.calls.allocateSendFunction(), length);
    }

    private SubmitResult noRoom(ComchConnection connection, SubmitResult why) {
        connection.outgoing().tellsWritable = settings.onWritable != null;
        if (shares || settings.onWritable != null) {
            awaitWritable(connection);
        }
        return connection.counts().backPressure.refuse(connection, why);
    }

    private void awaitWritable(ComchConnection connection) {
        OutgoingMessages outgoing = connection.outgoing();
        if (!outgoing.awaitsWritable) {
            outgoing.awaitsWritable = true;
            refused.add(connection);
            endedBefore = -1; // it has not been asked yet
            if (!awaitsWritable) {
                awaitsWritable = true;
                engine.awaitProgress(this);
            }
        }
    }

    /** Connections take turns: one that is refused again waits behind the others. */
    @Override
    public boolean afterProgress() {
        boolean clock = ++asks >= ASKS;
        long ended = sender.ended();
        if (clock || asksAlways || ended != endedBefore) {
            asks = clock ? 0 : asks;
            asksAlways = false;
            endedBefore = ended;
            long now = clock ? System.nanoTime() : 0;
            for (int count = refused.size(); count > 0 && !refused.isEmpty(); count--) {
                ComchConnection connection = refused.remove();
                connection.outgoing().awaitsWritable = false;
                serve(connection, clock, now);
            }
            while (!unserved.isEmpty()) {
                refused.addFirst(unserved.removeLast()); // who is refused again waits behind them
            }
        }
        awaitsWritable = !refused.isEmpty();
        return awaitsWritable;
    }

    private void serve(ComchConnection connection, boolean clock, long now) {
        OutgoingMessages outgoing = connection.outgoing();
        if (!connection.isOpen() && !outgoing.isQueueing()) {
            return;
        }
        if (drain(connection)) {
            if (outgoing.tellsWritable && settings.onWritable != null && !connection.isEnding()) {
                outgoing.tellsWritable = false;
                try {
                    settings.onWritable.accept(connection);
                } catch (Throwable t) {
                    endpoint.failed(connection, t, engine);
                }
            }
            return;
        }
        if (!outgoing.awaitsWritable) { // else a handler has just sent
            outgoing.awaitsWritable = true;
            unserved.add(connection);
        }
        if (clock && shares && !connection.isEnding()) {
            watch(connection, now);
        }
    }

    /** Sends what is queued, as far as there is room. Returns whether there is room for more. */
    private boolean drain(ComchConnection connection) {
        OutgoingMessages outgoing = connection.outgoing();
        for (byte[] next = outgoing.first(); next != null; next = outgoing.first()) {
            if (!hasShare(connection)) {
                return false;
            }
            try {
                if (!submit(connection, endpoint.staging.stage(next), next.length)
                        .accepted()) {
                    return false;
                }
            } catch (DocaException e) {
                outgoing.clear();
                endpoint.failed(connection, e, engine);
                return false;
            }
            outgoing.removeFirst();
        }
        return hasShare(connection);
    }

    /** The connection has no room: looks for how long its peer has taken nothing. */
    private void watch(ComchConnection connection, long now) {
        long waiting = inFlight(connection);
        if (waiting == 0) {
            return; // it is others that have all the tasks
        }
        long nanos = connection.outgoing().stalledFor(sender.ended(connection.outgoing().place), now);
        if (nanos >= settings.stallWarning && connection.outgoing().beginsStall()) {
            endpoint.stalled(connection, waiting, nanos);
        }
        if (nanos >= settings.stallLimit) {
            connection
                    .life()
                    .fail(new IllegalStateException(
                            connection + " was ended: its peer has not read for " + nanos / 1_000_000 + " ms"));
        }
    }

    private static DocaException failure(ComchConnection connection, int code, String function, int length) {
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return closed(connection, function);
        }
        return Failures.refused(
                code,
                function,
                "sending " + length + " bytes on " + connection
                        + (error == DocaError.INVALID_VALUE ? ", perhaps more than the peer's maxMessageSize()" : ""));
    }

    private static ConnectionClosedException closed(ComchConnection connection, String function) {
        return connection.life().ended(function, "sending on " + connection);
    }

    /** Fails inside a callback. */
    void checkMayWait(ComchConnection connection) {
        if (engine.isInCallbacks()) {
            engine.checkOwner();
            throw new IllegalStateException(
                    "waiting inside a callback to send on " + connection + ": use trySend() or enqueue()");
        }
    }

    /** There was no room for a message: progresses until {@code attempt} has sent it. */
    void await(ComchConnection connection, BooleanSupplier attempt) {
        if (!engine.await(attempt, engine.deadline(), null)) {
            throw Failures.refused(
                    DocaError.TIME_OUT,
                    TaskCalls.SUBMIT_NAME,
                    "waiting " + Failures.text(engine.timeout()) + " for room to send on " + connection);
        }
    }

    /** Keeps a message for which there was no room. */
    void queue(ComchConnection connection, byte[] message) {
        OutgoingMessages outgoing = connection.outgoing();
        if (outgoing.queuedBytes() + message.length > settings.sendBacklog) {
            throw new IllegalStateException("no room to send on " + connection + ": the peer does not read, and "
                    + outgoing.queuedBytes() + " bytes of the sendBacklog of " + settings.sendBacklog
                    + " bytes are in use");
        }
        outgoing.add(message);
        awaitWritable(connection);
    }

    /** The task of a message has ended. */
    void ended(long send, long userData, boolean success) {
        long task = EndpointCalls.asTask(send);
        int status = success ? Calls.SUCCESS : TaskCalls.status(task);
        int number = success ? 0 : MessageSender.number(task);
        long key = sender.free(task, userData);
        if (success || !(ConnectionEvents.find(key) instanceof IncomingEvents events)) {
            return;
        }
        events.connection().outgoing().failed++;
        if (!endpoint.context.isEnding()) { // closing: what cannot go out any more is flushed, and no handler runs
            try {
                events.connection().outgoing().failedMessage =
                        MessageSender.whole(number, events.connection().sent());
                failed(events.connection(), status);
            } catch (Throwable t) {
                endpoint.failed(events.connection(), t, engine);
            }
        }
    }

    private void failed(ComchConnection connection, int status) {
        connection.counts().failed.increment();
        Events.taskFailed("message", connection, DocaError.of(status).name());
        if (settings.onSendFailed != null) {
            settings.onSendFailed.accept(connection, DocaError.of(status));
        } else if (connection.isOpen()) {
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "sending a message on " + connection);
        }
    }

    @Override
    public void failed(Throwable thrown) {
        engine.transport().fail(thrown);
    }
}
