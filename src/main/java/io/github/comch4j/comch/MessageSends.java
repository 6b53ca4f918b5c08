package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.SendCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.RoomWaiter;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.ConnectionEvents;
import io.github.comch4j.internal.transport.MessageSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a server or client sends on its connections, and their tasks. All methods but {@link #inFlight}
 * belong to the engine's owner.
 */
final class MessageSends implements RoomWaiter {
    private final ControlPathEndpoint endpoint;
    private final Engine engine;
    private final MessageSender sender;
    private final @Nullable SendFailureHandler onFailed;
    private final @Nullable RoomHandler<ComchConnection> onRoom;
    private final ArrayDeque<ComchConnection> refused = new ArrayDeque<>(); // those that wait for room, longest first
    private boolean awaitsRoom; // the engine asks
    private final Counter accepted = new Counter();

    MessageSends(
            ControlPathEndpoint endpoint,
            MessageSender sender,
            @Nullable SendFailureHandler onFailed,
            @Nullable RoomHandler<ComchConnection> onRoom) {
        this.endpoint = endpoint;
        this.engine = endpoint.context.engine();
        this.sender = sender;
        this.onFailed = onFailed;
        this.onRoom = onRoom;
    }

    /** Messages that were accepted, and were neither delivered nor have failed. Any thread may ask. */
    int inFlight() {
        long ended = sender.ended(); // first: what is accepted meanwhile makes the difference too large, not negative
        return (int) (accepted.get() - ended);
    }

    /** Fails if a message of so many bytes cannot be sent on the connection at all; returns their number. */
    int check(ComchConnection connection, long length) {
        engine.checkOwner();
        if (!connection.isOpen()) {
            throw closed(connection, TaskCalls.SUBMIT_NAME);
        }
        if (length < 1 || length > endpoint.maxMessageSize()) {
            throw new IllegalArgumentException("a message of " + length + " bytes: 1 to " + endpoint.maxMessageSize()
                    + " are possible on " + connection);
        }
        return (int) length;
    }

    /** Submits a message, if there is room; {@code bytes} is native. */
    SubmitResult send(ComchConnection connection, MemorySegment bytes, int length) {
        int result = sender.send(connection.address(), bytes, length, connection.key());
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
            return noRoom(connection, SubmitResult.NO_RECEIVE);
        }
        boolean submit = code != result;
        // with nothing in flight the pool of tasks cannot be empty: then it is memory that there is none of
        if (!submit && code == DocaError.NO_MEMORY.code() && inFlight() > 0) {
            return noRoom(connection, SubmitResult.NO_TASK);
        }
        throw failure(connection, code, submit ? TaskCalls.SUBMIT_NAME : endpoint.calls.allocateSendFunction(), length);
    }

    private SubmitResult noRoom(ComchConnection connection, SubmitResult why) {
        if (onRoom != null && !connection.awaitsRoom) {
            connection.awaitsRoom = true;
            refused.add(connection);
            if (!awaitsRoom) {
                awaitsRoom = true;
                engine.awaitRoom(this);
            }
        }
        return connection.counts().backPressure.refuse(connection, why);
    }

    /** Connections take turns: one that is refused again waits behind the others. */
    @Override
    public boolean serveRoom() {
        for (int count = refused.size(); count > 0 && inFlight() < endpoint.sendTasks(); count--) {
            ComchConnection connection = refused.remove();
            connection.awaitsRoom = false;
            if (onRoom != null && connection.isOpen() && !connection.isEnding()) {
                onRoom.onRoom(connection);
            }
        }
        awaitsRoom = !refused.isEmpty() && !endpoint.context.isEnding();
        return awaitsRoom;
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

    /** Progresses until {@code attempt} has sent a message, for which there was no room. */
    void await(ComchConnection connection, BooleanSupplier attempt) {
        if (engine.isInCallbacks()) {
            throw new IllegalStateException("no room to send on " + connection
                    + ", and a callback cannot wait: use trySend, or more sendTasks");
        }
        if (!engine.await(attempt, engine.deadline(), null)) {
            throw Failures.refused(
                    DocaError.TIME_OUT,
                    TaskCalls.SUBMIT_NAME,
                    "waiting " + engine.timeout() + " for room to send on " + connection);
        }
    }

    /** The task of a message has ended; {@code key} is that of its connection's events. */
    void ended(long send, long key, boolean success) {
        long task = SendCalls.asTask(send);
        int status = success ? Calls.SUCCESS : TaskCalls.status(task);
        sender.free(task);
        if (success || endpoint.context.isEnding()) {
            return; // closing: messages that cannot go out any more are flushed, and no handler runs
        }
        if (ConnectionEvents.find(key) instanceof IncomingEvents events) {
            failed(events.connection(), status);
        }
    }

    private void failed(ComchConnection connection, int status) {
        connection.counts().failed.increment();
        Events.taskFailed("message", connection, DocaError.of(status).name());
        if (onFailed != null) {
            onFailed.onSendFailed(connection, DocaError.of(status));
        } else if (connection.isOpen()) {
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "sending a message on " + connection);
        }
    }
}
