package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits to go out on a connection whose peer does not read. */
class FrameQueueTest {
    private static final int BODY = 1000;
    private static final int CAPACITY = 4080;

    private final FrameQueue queue = new FrameQueue() {};
    private final MemorySegment message = MemorySegment.ofArray(new byte[CAPACITY]);
    private final List<Unwanted> all = new ArrayList<>();

    private static final class Unwanted extends Outgoing {
        boolean obsolete;

        Unwanted(long id) {
            super(Frames.REQUEST, id, 0, 0, MemorySegment.ofArray(new byte[BODY]));
        }

        @Override
        boolean isObsolete() {
            return obsolete;
        }
    }

    private void add(int number) {
        for (int i = 0; i < number; i++) {
            Unwanted next = new Unwanted(all.size());
            all.add(next);
            queue.add(next);
        }
    }

    private void giveUpAll() {
        all.forEach(one -> one.obsolete = true);
        all.forEach(queue::cancel);
    }

    private List<Integer> kindsOfTheNextMessage(int capacity) {
        List<Integer> kinds = new ArrayList<>();
        int filled = queue.fill(message, 0, capacity);
        assertThat(filled).isLessThanOrEqualTo(capacity);
        for (int at = 0; at < filled; at += Frames.size(Frames.part(message, at))) {
            kinds.add(Frames.kind(message, at));
        }
        return kinds;
    }

    @Test
    void bodiesThatNobodyWantsDoNotWaitBehindTheCancelsOfOthers() {
        add(100);
        for (int i = 0; i < 25; i++) {
            kindsOfTheNextMessage(CAPACITY); // three whole ones, and the beginning of a fourth
        }
        giveUpAll();
        assertThat(queue.bytes()).isZero();
        assertThat(queue.size()).isGreaterThanOrEqualTo(80).isLessThanOrEqualTo(100);
        all.clear();
        add(60); // fewer than there are cancels
        giveUpAll();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void cancelsGoOutFirstAndOnce() {
        add(3);
        assertThat(kindsOfTheNextMessage(CAPACITY)).containsExactly(Frames.REQUEST, Frames.REQUEST, Frames.REQUEST);
        giveUpAll();
        add(1);
        assertThat(kindsOfTheNextMessage(2 * Frames.HEADER + 8)).containsExactly(Frames.CANCEL, Frames.CANCEL);
        assertThat(kindsOfTheNextMessage(CAPACITY)).containsExactly(Frames.CANCEL, Frames.REQUEST);
        assertThat(queue.size()).isZero();
    }
}
