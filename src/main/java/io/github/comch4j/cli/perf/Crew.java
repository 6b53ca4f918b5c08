package io.github.comch4j.cli.perf;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.Dialog;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The threads of an end, for one measurement. */
final class Crew implements AutoCloseable {
    /** A server's threads must have ended before their servers can be there again; who waits for a client does not. */
    private static final long SERVER_JOIN = 35_000;

    private static final long CLIENT_JOIN = 1000; // of a failure: the process is about to end

    private final List<Lane> lanes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    private final long patience;
    private boolean told;

    Crew(Plan plan, PerfEndpoint place) {
        told = place.isServer() && !plan.sends(true);
        patience = place.isServer() ? SERVER_JOIN : CLIENT_JOIN;
        for (int i = 0; i < plan.threads(); i++) {
            lanes.add(Lane.of(plan, place, i));
        }
        String name = place.isServer() ? "perf-server" : "perf-client";
        lanes.forEach(lane -> threads.add(ToolThreads.start(name, lane)));
    }

    private boolean all(Predicate<Lane> condition) {
        return lanes.stream().allMatch(condition);
    }

    boolean areReady() {
        return all(lane -> lane.ready);
    }

    boolean haveFinished() {
        return all(lane -> lane.finished);
    }

    /** Whether what this end has sent is to be told, or a thread has failed. */
    boolean haveNews() {
        return haveFailed() || isToTell();
    }

    private boolean isToTell() {
        return !told && all(lane -> lane.sent >= 0);
    }

    boolean haveFailed() {
        return lanes.stream().anyMatch(lane -> lane.failure != null);
    }

    /** Whether a thread has failed as its peer is no longer there. */
    boolean haveLostPeer() {
        return lanes.stream().anyMatch(Lane::hasLostPeer);
    }

    /** If a thread has failed. */
    void check() {
        for (Lane lane : lanes) {
            @Nullable Throwable failure = lane.failure;
            if (failure != null) {
                throw told(failure);
            }
        }
    }

    private static RuntimeException told(Throwable failure) {
        if (failure instanceof ProgramException || failure instanceof DocaException) {
            return (RuntimeException) failure;
        }
        return new ProgramException(failure.toString(), failure);
    }

    /** Fails if a thread has; tells the peer what this end has sent, once it has sent all. */
    void look(Dialog peer) {
        check();
        if (isToTell()) {
            peer.send(
                    PerfOrders.SENT,
                    lanes.stream().map(lane -> Long.toString(lane.sent)).collect(Collectors.joining(" ")));
            told = true;
        }
    }

    /** What the peer's threads have sent. */
    void expect(String text) {
        String[] words = text.isEmpty() ? new String[0] : text.split(" ");
        if (words.length != lanes.size()) {
            throw new ProgramException("the other end has " + words.length + " threads, this one " + lanes.size());
        }
        try {
            for (int i = 0; i < words.length; i++) {
                lanes.get(i).expected = Long.parseLong(words[i]);
            }
        } catch (NumberFormatException e) {
            throw new ProgramException("the other end has sent \"" + text + "\", which is not understood", e);
        }
    }

    void stop() {
        lanes.forEach(lane -> lane.stopped = true);
    }

    long moved() {
        return lanes.stream().mapToLong(Lane::moved).sum();
    }

    List<LaneResult> results() {
        return lanes.stream().map(lane -> lane.result).filter(Objects::nonNull).toList();
    }

    boolean haveEnded() {
        return threads.stream().noneMatch(Thread::isAlive);
    }

    void letClose() {
        lanes.forEach(lane -> lane.mayClose = true);
    }

    @Override
    public void close() {
        if (!haveEnded()) {
            lanes.forEach(lane -> lane.aborted = true);
        }
        try {
            for (Thread thread : threads) {
                thread.join(patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
