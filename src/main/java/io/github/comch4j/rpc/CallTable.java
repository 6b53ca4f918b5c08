package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.life.ConnectionInside;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The calls of a client on one connection, from the thread that makes them to the response. */
final class CallTable implements LargeBodies.Peer {
    private static final Function<ComchConnection, ConnectionInside> INSIDE = Internals.of(ComchConnection.class);

    /** While calls wait, one is looked at so often at least. */
    private static final long SWEEP_NANOS = 50_000_000;

    /** A call may end so much too late, rather than that each has a look of its own. */
    private static final long TOLERANCE_NANOS = 1_000_000;

    private static final long NEVER = Long.MAX_VALUE;
    private static final int SLOT_BITS = 24;

    private final ComchConnection connection;
    private final int maxBody;
    private final IntSupplier inFlight;
    private final CallInbox inbox;
    private final Paths paths;
    private final Runnable closeSoon;
    private volatile AtomicReferenceArray<@Nullable Call> calls; // by slot; the loop writes
    private int[] free; // slots; in the loop, as the next ones
    private int freeCount;
    private long sequence;
    private final ArrayDeque<Call> answered = new ArrayDeque<>(); // by the present message, and not woken yet
    private boolean ended;
    private final AtomicLong nextSweep = new AtomicLong(NEVER); // by System.nanoTime()

    /**
     * {@code inFlight} says how many calls there are, and may be asked by any thread; {@code closeSoon} ends the
     * connection, after the present handler.
     */
    CallTable(RpcClient.Builder settings, ComchConnection connection, IntSupplier inFlight, Runnable closeSoon) {
        this.inbox = new CallInbox(settings.loop, this::drain, inFlight);
        this.inFlight = inFlight;
        this.connection = connection;
        this.maxBody = settings.maxBody;
        this.closeSoon = closeSoon;
        this.paths = new Paths(
                LargeBodies.Settings.of(settings.loop, settings.device, settings.largeBodies), connection, this);
        this.calls = new AtomicReferenceArray<>(0);
        this.free = new int[0];
        grow(settings.maxInFlight);
    }

    ComchConnection connection() {
        return connection;
    }

    // ---- any thread

    /** Sends a call, soon. */
    void add(Call call) {
        inbox.add(call);
        long next = nextSweep.get();
        if (next == NEVER || call.deadline() - next < 0) {
            sweepAt(call.begin() + Math.min(call.extra, SWEEP_NANOS));
        }
    }

    /** Nobody waits for it any more: the server is told, if it knows of it. */
    void forget(Call call) {
        inbox.execute(() -> forgetNow(call));
    }

    private void sweepAt(long time) {
        long next = nextSweep.get();
        while (next == NEVER || time - next < -TOLERANCE_NANOS) {
            if (nextSweep.compareAndSet(next, time)) {
                Executor later =
                        CompletableFuture.delayedExecutor(Math.max(0, time - System.nanoTime()), TimeUnit.NANOSECONDS);
                later.execute(() -> sweep(time));
                return;
            }
            next = nextSweep.get();
        }
    }

    /** Fails the calls that are late. */
    private void sweep(long time) {
        if (!nextSweep.compareAndSet(time, NEVER)) { // who adds a call from now on sees that there is none
            return; // an earlier one has taken its place
        }
        long now = System.nanoTime();
        long[] soonest = {SWEEP_NANOS};
        inbox.forEach(call -> look(call, now, soonest));
        AtomicReferenceArray<@Nullable Call> table = calls;
        for (int slot = 0; slot < table.length(); slot++) {
            Call call = table.get(slot);
            if (call != null) {
                look(call, now, soonest);
            }
        }
        if (inFlight.getAsInt() > 0) { // perhaps one that was on its way into the table, and not seen
            sweepAt(now + soonest[0]);
        }
    }

    private void look(Call call, long now, long[] soonest) {
        long left = call.check(now);
        if (left > 0) {
            soonest[0] = Math.min(soonest[0], left);
        } else {
            forget(call);
        }
    }

    // ---- the loop

    /** It can be used. */
    void begin() {
        paths.begin();
    }

    @Override
    public void closeSoon() {
        closeSoon.run();
    }

    /** A consumer of the server has come. */
    void consumerKnown() {
        paths.consumerKnown();
    }

    private void drain() {
        for (Outgoing next = inbox.take(); next != null; next = next.next()) {
            begin((Call) next);
        }
        flush();
    }

    private void begin(Call call) {
        if (call.isObsolete()) {
            return;
        }
        if (ended) {
            call.fail(closed());
            return;
        }
        if (freeCount == 0) {
            grow(2 * free.length);
        }
        int slot = free[--freeCount];
        call.id = ++sequence << SLOT_BITS | slot;
        calls.set(slot, call);
        paths.add(call);
    }

    private void grow(int size) {
        AtomicReferenceArray<@Nullable Call> before = calls;
        AtomicReferenceArray<@Nullable Call> larger = new AtomicReferenceArray<>(size);
        for (int slot = 0; slot < before.length(); slot++) {
            larger.set(slot, before.get(slot));
        }
        free = new int[size];
        for (int slot = size - 1; slot >= before.length(); slot--) {
            free[freeCount++] = slot;
        }
        calls = larger;
    }

    /** There is room to send again. */
    void flush() {
        paths.flush();
    }

    private @Nullable Call find(long id) {
        int slot = (int) id & (1 << SLOT_BITS) - 1;
        Call call = slot < calls.length() ? calls.get(slot) : null;
        return call != null && call.id == id ? call : null;
    }

    private void free(Call call) {
        int slot = (int) call.id & (1 << SLOT_BITS) - 1;
        calls.set(slot, null);
        free[freeCount++] = slot;
    }

    private void forgetNow(Call call) {
        if (!ended && find(call.id) == call) {
            free(call);
            paths.cancel(call);
            flush();
        }
    }

    /** A message has arrived, on either path. Returns false if a server does not send such. */
    @Override
    public boolean message(MemorySegment message) {
        try {
            return Frames.read(message, this::frame);
        } finally {
            wakeAnswered();
        }
    }

    /**
     * Wakes the first of the virtual threads whose responses were in the message; that one wakes the others: a virtual
     * thread does it at a fraction of what it costs this thread.
     */
    private void wakeAnswered() {
        Call first = answered.pollFirst();
        Call others = null;
        for (Call call = answered.pollLast(); call != null; call = answered.pollLast()) {
            call.show(others);
            others = call;
        }
        if (first != null) {
            first.showAndWake(others);
        }
    }

    private boolean frame(MemorySegment message, long at, int part) {
        int kind = Frames.kind(message, at);
        Call call = find(Frames.id(message, at));
        if (call == null) {
            return kind != Frames.CANCEL || paths.cancelled(message, at); // else: it was given up
        }
        if (kind == Frames.MORE) {
            return call.arriving != null && more(call, call.arriving, message, at, part);
        }
        int length = Frames.bodyLength(message, at);
        if (length < part || (kind != Frames.RESPONSE && kind != Frames.FAILURE)) {
            return false;
        }
        if (length > maxBody) {
            call.fail(new RpcException(
                    RpcException.Kind.TOO_LONG,
                    "a response of " + length + " bytes to a call of method " + call.value + ": maxBody is "
                            + maxBody));
            forgetNow(call);
            return true;
        }
        int status = kind == Frames.RESPONSE ? -1 : Frames.value(message, at);
        if (length == part) {
            end(call, status, Body.of(message, at, part));
            return true;
        }
        call.arriving = new Body(length, status, 0, part);
        return more(call, call.arriving, message, at, part);
    }

    private boolean more(Call call, Body body, MemorySegment message, long at, int part) {
        if (!body.add(message, at, part)) {
            return false;
        }
        if (body.isWhole()) {
            call.arriving = null;
            end(call, body.value, body.bytes());
        }
        return true;
    }

    /** {@code status} is -1, or the code of a failure. */
    private void end(Call call, int status, byte[] body) {
        free(call);
        if (status == -1 && call.isOfVirtualThread()) {
            if (call.prepare(body)) {
                answered.add(call);
            }
        } else if (status == -1) {
            call.complete(body);
        } else {
            call.fail(new RpcException(RpcException.Kind.of(status), new String(body, StandardCharsets.UTF_8)));
        }
    }

    /** The connection has ended: what is in flight fails. */
    void end() {
        ended = true;
        paths.end();
        for (int slot = 0; slot < calls.length(); slot++) {
            Call call = calls.get(slot);
            if (call != null) {
                calls.set(slot, null);
                call.fail(closed());
            }
        }
    }

    private RuntimeException closed() {
        return INSIDE.apply(connection).ended(PeCalls.PROGRESS_NAME, "waiting for a response on " + connection);
    }
}
