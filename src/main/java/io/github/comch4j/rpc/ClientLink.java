package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.LinkState;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.internal.observe.LiveObjects;
import io.github.comch4j.link.Availability;
import io.github.comch4j.link.Connector;
import io.github.comch4j.link.Loops;
import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client, one after the other, with the calls on each, from the loop that sends them to the
 * response, and the calls that wait for the next one.
 */
final class ClientLink implements Connector.User, LargeBodies.Peer {
    private final RpcClient.Builder settings;
    private final CallCounts counts;
    private final IntSupplier inFlight;
    private final EventLoop loop;
    private final LoopThread thread;
    private final Connector connector;
    private final Availability state;
    private final CallInbox inbox;
    private final Deadlines deadlines = new Deadlines(this);
    private final ConcurrentLinkedQueue<ClientCall> waiting = new ConcurrentLinkedQueue<>(); // for a connection
    private int waitingCount; // in the loop, as the next one
    private int obsolete; // of those that wait, at most
    private final CallSlots calls; // on the connection
    private volatile boolean closed; // by the program

    // in the loop
    private @Nullable ComchConnection connection; // that there is, or was last
    private @Nullable OutgoingPaths paths; // of the connection; null: there is none now
    private boolean goodbye; // the server takes no more calls
    private boolean answeredGoodbye;
    private final ArrayDeque<ClientCall> answered = new ArrayDeque<>(); // by the present message, and not woken yet
    private final Frames.Reader frames = this::frame; // one for all messages
    private long now; // when the present message has come

    /** {@code inFlight} says how many calls there are; {@code onState} is told whether there is a connection. */
    ClientLink(RpcClient.Builder settings, CallCounts counts, IntSupplier inFlight, Consumer<LinkState> onState) {
        this.settings = settings;
        this.counts = counts;
        this.inFlight = inFlight;
        this.loop = settings.loop;
        this.thread = Loops.threadOf(loop);
        this.connector = new Connector(loop, settings.device, settings.name, settings.backOff, this);
        this.state = new Availability(thread, onState);
        this.inbox = new CallInbox(thread, this::drain, inFlight);
        this.calls = new CallSlots(settings.maxInFlight);
    }

    // ---- any thread

    /** The loop's thread, as others see it. */
    LoopThread thread() {
        return thread;
    }

    /** The loop's engine. */
    Engine engine() {
        return Loops.engineOf(loop);
    }

    /** Whether calls can be made. */
    Availability state() {
        return state;
    }

    /** Waits for the first connection. */
    void connect(Duration timeout) {
        connector.connect(timeout);
    }

    /** Whether there may be another connection. */
    boolean reconnects() {
        return connector.reconnects() && !loop.isClosed();
    }

    /** Why there is no connection again. */
    @Nullable
    DocaException refusal() {
        return connector.refusal();
    }

    /** Sends a call, soon. */
    void add(ClientCall call) {
        inbox.add(call);
        deadlines.add(call);
    }

    /** Nobody waits for it any more: the server is told, if it knows of it. */
    void forget(ClientCall call) {
        inbox.execute(() -> forgetNow(call));
    }

    /** Shows all calls that there are; what comes or goes meanwhile may be left out. */
    void forEach(Consumer<? super ClientCall> look) {
        inbox.forEach(look);
        waiting.forEach(look);
        calls.forEach(look);
    }

    /** How many there are. */
    int size() {
        return inFlight.getAsInt();
    }

    /** No more connections. Waits for that; an interrupt does not cut it short. */
    void stop() {
        closed = true; // before the connector ends calls that wait
        connector.stop();
        if (loop.isInLoop()) {
            stopped();
            return;
        }
        try {
            CompletableFuture<Void> done = CompletableFuture.runAsync(this::stopped, loop);
            thread.await(done::isDone, "the end of calls to \"" + settings.name + "\"", () -> false);
        } catch (RejectedExecutionException e) {
            // the loop is closed, and with it all that is on its engine
        }
    }

    // ---- the loop: connections

    private void stopped() {
        state.set(LinkState.CLOSED);
        endCalls();
        refuseWaiting();
    }

    @Override
    public ComchClient.Builder configure(ComchClient.Builder builder) {
        return settings.apply(builder)
                .onMessage((from, message) -> {
                    if (!message(message)) {
                        closeSoon(from); // no server of this kind
                    }
                })
                .onWritable(any -> flush())
                .onSendFailed(this::messageNotSent)
                .onConsumer((any, consumer) -> {
                    if (paths != null) {
                        paths.consumerKnown();
                    }
                })
                .onDisconnected(any -> endCalls());
    }

    @Override
    public void closeSoon(ComchConnection ending) {
        var _ = Loops.execute(loop, ending.endpoint()::close);
    }

    @Override
    public void connected(ComchConnection established) {
        goodbye = false;
        answeredGoodbye = false;
        connection = established;
        paths = new OutgoingPaths(
                LargeBodies.Settings.of(loop, settings.device, settings.largeBodies), established, this);
        paths.begin();
        for (ClientCall call = waiting.poll(); call != null; call = waiting.poll()) {
            send(call);
        }
        waitingCount = 0;
        flush();
        state.set(LinkState.CONNECTED);
    }

    @Override
    public void ended() {
        endCalls();
        if (!connector.isStopped()) {
            state.set(LinkState.DISCONNECTED);
        }
    }

    /** The last connection has ended, and with it its calls. */
    @Override
    public void over() {
        ComchConnection last = connection;
        if (last != null) {
            closeSoon(last);
        }
        refuseWaiting();
        if (loop.isClosed()) {
            LiveObjects.remove(counts); // nobody need close this client any more
        }
        state.wakeAll();
    }

    /** The connection has ended: what is in flight fails, or waits for the next one. */
    private void endCalls() {
        OutgoingPaths ending = paths;
        if (ending == null) {
            return;
        }
        paths = null;
        ending.end();
        RuntimeException end = end(Objects.requireNonNull(connection));
        calls.forEach(call -> {
            calls.remove(call);
            if (!call.isSent() && call.takeBack()) {
                send(call);
            } else {
                call.fail(Kind.UNAVAILABLE, end.getMessage(), end);
            }
        });
    }

    /** Says how a connection has ended. */
    private static RuntimeException end(ComchConnection last) {
        return Loops.insideOf(last).ended(PeCalls.PROGRESS_NAME, "waiting for responses on " + last);
    }

    // ---- the loop: calls

    private void drain() {
        for (OutgoingFrame next = inbox.take(); next != null; next = next.next()) {
            counts.begun();
            send((ClientCall) next);
        }
        flush();
    }

    /** Sends a call, with the next {@link #flush}, or keeps it for the next connection if it wants to wait. */
    private void send(ClientCall call) {
        if (call.isObsolete()) {
            return;
        }
        OutgoingPaths open = paths;
        if (open != null && !goodbye) {
            calls.add(call);
            open.add(call);
        } else if (call.waitsForReady() && reconnects()) {
            waiting.add(call);
            waitingCount++;
        } else {
            refuse(call);
        }
    }

    private void refuse(ClientCall call) {
        ComchConnection last = connection;
        if (closed || loop.isClosed()) {
            call.fail(Kind.UNAVAILABLE, "the client is closed", null);
        } else if (goodbye && paths != null) {
            call.fail(Kind.UNAVAILABLE, "the server is shutting down", null);
        } else {
            DocaException why = refusal();
            call.fail(
                    Kind.UNAVAILABLE,
                    "there is no connection" + (why == null || why.reason().isEmpty() ? "" : ": " + why.reason()),
                    why != null ? why : last != null ? end(last) : null);
        }
    }

    private void refuseWaiting() {
        for (ClientCall call = waiting.poll(); call != null; call = waiting.poll()) {
            refuse(call);
        }
        waitingCount = 0;
    }

    private void forgetNow(ClientCall call) {
        if (calls.remove(call)) {
            if (paths != null) {
                paths.cancel(call);
            }
            flush();
        } else if (++obsolete > waitingCount / 2) {
            obsolete = 0;
            waiting.removeIf(ClientCall::isObsolete);
            waitingCount = waiting.size();
        }
    }

    /** Sends what there is room for; once no call is in flight, also the answer to a goodbye. */
    private void flush() {
        OutgoingPaths open = paths;
        if (open == null) {
            return;
        }
        open.flush();
        if (goodbye && !answeredGoodbye && calls.isEmpty() && open == paths) {
            answeredGoodbye = true;
            open.addShort(new OutgoingFrame(Frames.GOODBYE, 0, 0, 0)); // the server waits for it
            open.flush();
        }
    }

    /** A message of the control path was not sent: the calls that it had a part of fail, and the others go on. */
    private void messageNotSent(ComchConnection on, DocaError why) {
        if (paths != null) {
            long number = Loops.insideOf(on).failedMessage();
            boolean ends = paths.mayHaveNotices(number); // no call can tell that, and the server waits for it
            notSent(number, false, why);
            if (ends) {
                closeSoon(on);
            }
        }
    }

    @Override
    public boolean notSent(long number, DocaError why) {
        notSent(number, true, why);
        return true;
    }

    private void notSent(long number, boolean large, DocaError why) {
        calls.forEach(call -> {
            if (call.large == large && call.isIn(number) && calls.remove(call)) {
                if (paths != null) {
                    paths.takeBack(call);
                }
                if (call.takeBack()) {
                    unsent(call, why);
                }
            }
        });
        flush();
    }

    private void unsent(ClientCall call, DocaError why) {
        if (call.waitsForReady()) {
            send(call);
            return;
        }
        DocaException cause = Failures.refused(why, TaskCalls.SUBMIT_NAME, "sending a call on " + connection);
        call.fail(Kind.UNAVAILABLE, cause.getMessage(), cause);
    }

    /** The body of a call cannot be read. */
    void unreadable(ClientCall call, RuntimeException why) {
        calls.remove(call);
        call.fail(why);
    }

    // ---- the loop: responses

    /** A message has arrived, on either path. Returns false if a server does not send such. */
    @Override
    public boolean message(MemorySegment message) {
        now = System.nanoTime();
        try {
            return Frames.read(message, frames);
        } finally {
            wakeAnswered();
            if (goodbye) {
                flush();
            }
        }
    }

    /**
     * Wakes the first of the virtual threads whose responses were in the message; that one wakes the others: a virtual
     * thread does it at a fraction of what it costs this thread.
     */
    private void wakeAnswered() {
        ClientCall first = answered.pollFirst();
        ClientCall others = null;
        for (ClientCall call = answered.pollLast(); call != null; call = answered.pollLast()) {
            call.show(others);
            others = call;
        }
        if (first != null) {
            first.showAndWake(others);
        }
    }

    private boolean frame(MemorySegment message, long at, int part, @Nullable Map<String, String> metadata) {
        int kind = Frames.kind(message, at);
        long id = Frames.id(message, at);
        return switch (kind) {
            case Frames.RESPONSE, Frames.FAILURE, Frames.MORE -> {
                ClientCall call = calls.find(id);
                yield call == null // it was given up
                        || (kind != Frames.MORE
                                ? answer(call, message, at, part, metadata)
                                : call.arriving != null && more(call, call.arriving, message, at, part));
            }
            case Frames.CONSUMER -> paths == null || paths.announced(message, at);
            case Frames.GOODBYE -> {
                goodbye();
                yield true;
            }
            default -> false;
        };
    }

    private boolean answer(
            ClientCall call, MemorySegment message, long at, int part, @Nullable Map<String, String> metadata) {
        int kind = Frames.kind(message, at);
        int length = Frames.bodyLength(message, at);
        if (length < part) {
            return false;
        }
        call.responseMetadata = metadata;
        if (length > settings.maxBody) {
            call.fail(new RpcException(
                    Kind.TOO_LONG,
                    Delivery.HANDLED,
                    "a response of " + length + " bytes to a call of method " + call.value + ": maxBody is "
                            + settings.maxBody));
            forgetNow(call);
            return true;
        }
        if (length > part) {
            int status = kind == Frames.RESPONSE ? FailureFrame.NONE : Frames.value(message, at);
            call.arriving = new PartialBody(length, status, Frames.extra(message, at), part);
            return more(call, call.arriving, message, at, part);
        }
        if (kind == Frames.RESPONSE && call.hasReader()) {
            calls.remove(call);
            if (call.prepare(null)) {
                counts.answered(now - call.begin());
                call.finish(message.asSlice(at + Frames.HEADER, part));
            }
            return true;
        }
        byte[] body = PartialBody.of(message, at, part);
        if (kind == Frames.RESPONSE) {
            answered(call, body);
        } else {
            failed(call, Frames.value(message, at), Frames.extra(message, at), body);
        }
        return true;
    }

    /** The server takes no more calls on this connection. */
    private void goodbye() {
        if (paths != null) {
            goodbye = true;
            state.set(LinkState.DISCONNECTED);
        }
    }

    private boolean more(ClientCall call, PartialBody body, MemorySegment message, long at, int part) {
        if (!body.add(message, at, part)) {
            return false;
        }
        if (body.isWhole()) {
            call.arriving = null;
            if (body.value == FailureFrame.NONE) {
                answered(call, body.bytes());
            } else {
                failed(call, body.value, body.extra, body.bytes());
            }
        }
        return true;
    }

    private void answered(ClientCall call, byte[] body) {
        calls.remove(call);
        if (!call.prepare(body)) {
            return;
        }
        counts.answered(now - call.begin());
        if (call.isOfVirtualThread()) {
            answered.add(call);
        } else {
            call.finish();
        }
    }

    private void failed(ClientCall call, int kind, long extra, byte[] body) {
        RpcException failure = FailureFrame.read(kind, extra, body);
        calls.remove(call);
        if (failure.kind() == Kind.UNAVAILABLE) {
            goodbye();
            if (call.waitsForReady() && call.takeBack()) {
                send(call); // on the next connection
                return;
            }
        }
        call.fail(failure);
    }
}
