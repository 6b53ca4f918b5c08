package io.github.comch4j.internal.observe;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** What there is to know of the calls of a client or server. Any thread may read it. */
public final class CallCounts {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String role;
    private final String name;
    private final String server;
    private final IntSupplier inFlight;
    private final long number = NUMBERS.incrementAndGet();
    private final Counter calls = new Counter();
    private final Counter answered = new Counter();
    private final Counter nanos = new Counter();
    private final Counter mostNanos = new Counter();
    private final Map<End, LongAdder> ends = new EnumMap<>(End.class);

    /** How a call can end that is not answered. */
    public enum End {
        /** The handler, or what was to be done with its response, has failed. */
        FAILED,
        /** Refused, by either side, before its handler has run. */
        REJECTED,
        /** Its time was up. */
        LATE,
        /** The connection has ended before its end was known, or nobody waited for it any more. */
        LOST
    }

    /**
     * Of a client or server.
     *
     * @param role "RpcClient" or "RpcServer"
     * @param name whose it is
     * @param server the name of the server that the calls go to
     * @param inFlight how many there are now; any thread may ask
     */
    public CallCounts(String role, String name, String server, IntSupplier inFlight) {
        this.role = role;
        this.name = name;
        this.server = server;
        this.inFlight = inFlight;
        for (End how : End.values()) {
            ends.put(how, new LongAdder());
        }
    }

    /** One has begun. The loop's thread, as {@link #answered}. */
    public void begun() {
        calls.increment();
    }

    /** One was answered, after so long. */
    public void answered(long took) {
        answered.increment();
        nanos.add(took);
        long most = mostNanos.get();
        if (took > most) {
            mostNanos.add(took - most);
        }
    }

    /** One has ended otherwise. Any thread. */
    public void end(End how) {
        of(how).increment();
    }

    private LongAdder of(End how) {
        return Objects.requireNonNull(ends.get(how));
    }

    /** What it counts the calls of. */
    public String role() {
        return role;
    }

    /** Whose it is. */
    public String name() {
        return name;
    }

    /** The name of the server that the calls go to. */
    public String server() {
        return server;
    }

    /** Unique in the process. */
    public long number() {
        return number;
    }

    /** How many calls there are now. */
    public int inFlight() {
        return inFlight.getAsInt();
    }

    /** How many calls there have been. */
    public long calls() {
        return calls.get();
    }

    /** How many were answered. */
    public long answered() {
        return answered.get();
    }

    /** How long those took together, nanoseconds. */
    public long nanos() {
        return nanos.get();
    }

    /** How long the slowest of them took, nanoseconds. */
    public long mostNanos() {
        return mostNanos.get();
    }

    /** How many have ended so. */
    public long ended(End how) {
        return of(how).sum();
    }

    /** Whose, and all of it. */
    @Override
    public String toString() {
        return name + ": " + calls() + " calls, " + inFlight() + " in flight, " + answered() + " answered, "
                + ended(End.FAILED) + " failed, " + ended(End.REJECTED) + " rejected, " + ended(End.LATE) + " late, "
                + ended(End.LOST) + " lost";
    }
}
