package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of a client on one connection, from the loop that sends them to the response. Belongs to the loop. */
final class CallTable implements LargeBodies.Peer {
    private static final Function<ComchConnection, ConnectionInside> INSIDE = Internals.of(ComchConnection.class);
    private static final int SLOT_BITS = 24;

    private final ComchConnection connection;
    private final ClientLink link;
    private final CallCounts counts;
    private final int maxBody;
    private final OutgoingPaths paths;
    private volatile AtomicReferenceArray<@Nullable ClientCall> calls; // by slot; the loop writes
    private int[] free; // slots
    private int freeCount;
    private long sequence;
    private final ArrayDeque<ClientCall> answered = new ArrayDeque<>(); // by the present message, and not woken yet
    private @Nullable Map<String, String> metadata; // of the next frame in the present message
    private long metadataOf; // the number of its call
    private long now; // when the present message has come
    private boolean goodbye; // the server takes no more calls
    private boolean answeredGoodbye;
    private boolean ended;

    CallTable(RpcClient.Builder settings, ComchConnection connection, ClientLink link, CallCounts counts) {
        this.connection = connection;
        this.link = link;
        this.counts = counts;
        this.maxBody = settings.maxBody;
        this.paths = new OutgoingPaths(
                LargeBodies.Settings.of(settings.loop, settings.device, settings.largeBodies), connection, this);
        this.calls = new AtomicReferenceArray<>(0);
        this.free = new int[0];
        grow(settings.maxInFlight);
    }

    ComchConnection connection() {
        return connection;
    }

    /** Shows the calls that there are. Any thread; what comes or goes meanwhile may be left out. */
    void forEach(Consumer<? super ClientCall> look) {
        AtomicReferenceArray<@Nullable ClientCall> table = calls;
        for (int slot = 0; slot < table.length(); slot++) {
            ClientCall call = table.get(slot);
            if (call != null) {
                look.accept(call);
            }
        }
    }

    /** It can be used. */
    void begin() {
        paths.begin();
    }

    @Override
    public void closeSoon() {
        link.closeSoon(connection);
    }

    /** A consumer of the server has come. */
    void consumerKnown() {
        paths.consumerKnown();
    }

    /** Whether the server takes calls. */
    boolean isOpen() {
        return !goodbye && !ended;
    }

    /** Whether the connection has ended. */
    boolean isEnded() {
        return ended;
    }

    /** Whether the server has said that it takes no more. */
    boolean isGoingDown() {
        return goodbye && !ended;
    }

    /** Sends a call, with the next {@link #flush}. */
    void begin(ClientCall call) {
        if (freeCount == 0) {
            grow(2 * free.length);
        }
        int slot = free[--freeCount];
        call.id = ++sequence << SLOT_BITS | slot;
        call.table = this;
        calls.set(slot, call);
        paths.add(call);
    }

    private void grow(int size) {
        AtomicReferenceArray<@Nullable ClientCall> before = calls;
        AtomicReferenceArray<@Nullable ClientCall> larger = new AtomicReferenceArray<>(size);
        for (int slot = 0; slot < before.length(); slot++) {
            larger.set(slot, before.get(slot));
        }
        free = new int[size];
        for (int slot = size - 1; slot >= before.length(); slot--) {
            free[freeCount++] = slot;
        }
        calls = larger;
    }

    /** Sends what there is room for; once no call is in flight, also the answer to a goodbye. */
    void flush() {
        paths.flush();
        if (goodbye && !answeredGoodbye && !ended && freeCount == free.length) {
            answeredGoodbye = true;
            paths.addShort(new OutgoingFrame(Frames.GOODBYE, 0, 0, 0)); // the server waits for it
            paths.flush();
        }
    }

    /** A message of the control path was not sent: the calls that it had a part of fail, and the others go on. */
    void notSent(DocaError why) {
        long number = INSIDE.apply(connection).failedMessage();
        boolean ends = paths.mayHaveNotices(number); // no call can tell that, and the server waits for it
        notSent(number, false, why);
        if (ends) {
            closeSoon();
        }
    }

    @Override
    public boolean notSent(long number, DocaError why) {
        notSent(number, true, why);
        return true;
    }

    private void notSent(long number, boolean large, DocaError why) {
        for (int slot = 0; slot < calls.length(); slot++) {
            ClientCall call = calls.get(slot);
            if (call != null && call.large == large && call.isIn(number)) {
                free(call);
                paths.takeBack(call);
                if (call.takeBack()) {
                    unsent(call, why);
                }
            }
        }
        flush();
    }

    private void unsent(ClientCall call, DocaError why) {
        if (call.waitsForReady()) {
            link.send(call);
            return;
        }
        DocaException cause = Failures.refused(why, TaskCalls.SUBMIT_NAME, "sending a call on " + connection);
        call.fail(Kind.UNAVAILABLE, cause.getMessage(), cause);
    }

    private @Nullable ClientCall find(long id) {
        int slot = (int) id & (1 << SLOT_BITS) - 1;
        ClientCall call = slot < calls.length() ? calls.get(slot) : null;
        return call != null && call.id == id ? call : null;
    }

    private void free(ClientCall call) {
        int slot = (int) call.id & (1 << SLOT_BITS) - 1;
        calls.set(slot, null);
        free[freeCount++] = slot;
    }

    /** Nobody waits any more for a call: the server is told, if it knows of it. Returns false if it is not here. */
    boolean forget(ClientCall call) {
        if (ended || find(call.id) != call) {
            return false;
        }
        free(call);
        paths.cancel(call);
        flush();
        return true;
    }

    /** The body of a call cannot be read. */
    void unreadable(ClientCall call, RuntimeException why) {
        free(call);
        call.fail(why);
    }

    /** A message has arrived, on either path. Returns false if a server does not send such. */
    @Override
    public boolean message(MemorySegment message) {
        now = System.nanoTime();
        metadata = null;
        try {
            return Frames.read(message, this::frame);
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

    private boolean frame(MemorySegment message, long at, int part) {
        int kind = Frames.kind(message, at);
        long id = Frames.id(message, at);
        switch (kind) {
            case Frames.RESPONSE, Frames.FAILURE, Frames.MORE -> {
                ClientCall call = find(id);
                return call == null // it was given up
                        || (kind != Frames.MORE
                                ? answer(call, kind, message, at, part)
                                : call.arriving != null && more(call, call.arriving, message, at, part));
            }
            case Frames.METADATA -> {
                metadata = Metadata.read(message, at + Frames.HEADER, part);
                metadataOf = id;
                return metadata != null;
            }
            case Frames.CONSUMER -> {
                return paths.announced(message, at);
            }
            case Frames.GOODBYE -> {
                sayGoodbye();
                return true;
            }
            default -> {
                return false;
            }
        }
    }

    private boolean answer(ClientCall call, int kind, MemorySegment message, long at, int part) {
        int length = Frames.bodyLength(message, at);
        if (length < part) {
            return false;
        }
        if (metadata != null) {
            call.responseMetadata = metadataOf == call.id ? metadata : null;
            metadata = null;
        }
        if (length > maxBody) {
            call.fail(new RpcException(
                    Kind.TOO_LONG,
                    Delivery.HANDLED,
                    "a response of " + length + " bytes to a call of method " + call.value + ": maxBody is "
                            + maxBody));
            forget(call);
            return true;
        }
        if (length > part) {
            int status = kind == Frames.RESPONSE ? FailureFrame.NONE : Frames.value(message, at);
            call.arriving = new PartialBody(length, status, Frames.extra(message, at), part);
            return more(call, call.arriving, message, at, part);
        }
        if (kind == Frames.RESPONSE && call.hasReader()) {
            free(call);
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

    private void sayGoodbye() {
        if (!goodbye) {
            goodbye = true;
            link.goodbye();
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
        free(call);
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
        free(call);
        if (failure.kind() == Kind.UNAVAILABLE) {
            sayGoodbye();
            if (call.waitsForReady() && call.takeBack()) {
                link.send(call); // on the next connection
                return;
            }
        }
        call.fail(failure);
    }

    /** The connection has ended: what is in flight fails, or waits for the next one. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        paths.end();
        RuntimeException closed = closed();
        for (int slot = 0; slot < calls.length(); slot++) {
            ClientCall call = calls.get(slot);
            if (call != null) {
                calls.set(slot, null);
                if (!call.isSent() && call.takeBack()) {
                    link.send(call);
                } else {
                    call.fail(Kind.UNAVAILABLE, closed.getMessage(), closed);
                }
            }
        }
    }

    /** Says how the connection has ended. */
    RuntimeException closed() {
        return INSIDE.apply(connection).ended(PeCalls.PROGRESS_NAME, "waiting for responses on " + connection);
    }
}
