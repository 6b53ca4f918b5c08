package io.github.comch4j.cli.relay;

import io.github.comch4j.streams.Splice;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What a relay says, on stderr, and counts. */
@SuppressWarnings("FutureReturnValueIgnored") // lines that are told later
final class RelayReport implements RelayMXBean {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxxx ");
    /** Lines of refusals in a while; those beyond it are counted. */
    private static final int MOST_LINES = 10;

    private static final long WHILE_SECONDS = 10;

    private final boolean verbose;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong reset = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile boolean timed;
    private volatile boolean cut;
    private volatile long cutsFrom;
    private volatile boolean draining;
    private long refusals; // in this while; guarded by this

    RelayReport(boolean verbose) {
        this.verbose = verbose;
    }

    /** A stream that is told of. */
    record Stream(long number, RelayEndpoint.Pair pair, String peer, long began) {
        @Override
        public String toString() {
            return "stream " + number + ": " + pair + ", " + peer + ": ";
        }
    }

    /** From now on with the time, unless the journal adds it. */
    void addTimes() {
        timed = !isJournal();
    }

    /** Whether stderr is what systemd says that the journal's stream is. */
    private static boolean isJournal() {
        try {
            var stderr = Files.readAttributes(Path.of("/proc/self/fd/2"), "unix:dev,ino");
            return (stderr.get("dev") + ":" + stderr.get("ino")).equals(System.getenv("JOURNAL_STREAM"));
        } catch (IOException e) {
            return false;
        }
    }

    void say(String sentence) {
        System.err.println(
                (timed ? TIME.format(OffsetDateTime.now(ZoneId.systemDefault())) : "") + "comch: " + sentence);
    }

    void detail(String sentence) {
        if (verbose) {
            say(sentence);
        }
    }

    /** One more stream; {@code peer} is who is at this side's end. */
    Stream begins(RelayEndpoint.Pair pair, String peer) {
        Stream stream = new Stream(begun.incrementAndGet(), pair, peer, System.nanoTime());
        detail(stream + "begins");
        return stream;
    }

    /** From that time on an end is this relay's doing. */
    void cutsFrom(long nanos) {
        cutsFrom = nanos;
        draining = true;
    }

    /** Whether there was one. */
    boolean hasCut() {
        return cut;
    }

    private void gone() {
        if (draining && System.nanoTime() - cutsFrom >= 0) {
            cut = true;
        }
        ended.incrementAndGet();
    }

    /** A stream that does not come to be. */
    synchronized void refused(String sentence) {
        refused.incrementAndGet();
        refusals++;
        if (refusals == 1) {
            GlobalEventExecutor.INSTANCE.schedule(this::tellLeftOut, WHILE_SECONDS, TimeUnit.SECONDS);
        }
        if (refusals <= MOST_LINES) {
            say(sentence);
        }
    }

    /** At the end of a while, and of the program. */
    synchronized void tellLeftOut() {
        if (refusals > MOST_LINES) {
            say((refusals - MOST_LINES) + " more refusals were left out");
        }
        refusals = 0;
    }

    void ends(Stream stream, Splice splice) {
        gone();
        reset.addAndGet(splice.wasReset() ? 1 : 0);
        sent.addAndGet(splice.toStream());
        received.addAndGet(splice.fromStream());
        detail("%s%s after %.3f s, %d bytes sent, %d received"
                .formatted(
                        stream,
                        splice.wasReset() ? "reset" : "ended",
                        (System.nanoTime() - stream.began()) / 1e9,
                        splice.toStream(),
                        splice.fromStream()));
    }

    void ends(Stream stream, String how) {
        gone();
        detail(stream + how);
    }

    @Override
    public long getOpenStreams() {
        long gone = ended.get(); // before those that have begun, or there were less than none
        return begun.get() - gone;
    }

    @Override
    public long getStreams() {
        return begun.get();
    }

    @Override
    public long getResetStreams() {
        return reset.get();
    }

    @Override
    public long getRefusedStreams() {
        return refused.get();
    }

    @Override
    public long getBytesSent() {
        return sent.get();
    }

    @Override
    public long getBytesReceived() {
        return received.get();
    }
}
