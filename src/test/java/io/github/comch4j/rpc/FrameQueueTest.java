package io.github.comch4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits to go out on a connection whose peer does not read. */
class FrameQueueTest {
    private static final int BODY = 1000;
    private static final int CAPACITY = 4080;

    private final FrameQueue queue = new FrameQueue();
    private final MemorySegment message = MemorySegment.ofArray(new byte[CAPACITY]);
    private final List<Unwanted> all = new ArrayList<>();
    private long number; // of the next message

    private static final class Unwanted extends OutgoingFrame {
        boolean obsolete;
        boolean leaves = true;
        byte[] metadata = EMPTY;
        int gone;
        int unreadable;

        Unwanted(long id) {
            this(id, MemorySegment.ofArray(new byte[BODY]));
        }

        Unwanted(long id, MemorySegment body) {
            super(Frames.REQUEST, id, 0, 0, body);
        }

        @Override
        byte[] metadata() {
            return metadata;
        }

        @Override
        boolean leave() {
            return leaves && super.leave();
        }

        @Override
        void gone() {
            gone++;
        }

        @Override
        void unreadable(RuntimeException why) {
            unreadable++;
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
        int filled = queue.fill(message, 0, capacity, number++);
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

    private Unwanted added(Unwanted one) {
        queue.add(one);
        return one;
    }

    /** Its first part goes out in a message that has no room for more. */
    private Unwanted begun(Unwanted one) {
        queue.add(one);
        assertThat(kindsOfTheNextMessage(Frames.size(BODY / 2))).containsExactly(Frames.REQUEST);
        assertThat(queue.bytes()).isEqualTo(BODY);
        return one;
    }

    private static MemorySegment unreadable() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(BODY);
        }
    }

    private void nothingWaits(Unwanted last, Integer... rest) {
        assertThat(kindsOfTheNextMessage(CAPACITY)).containsExactly(rest);
        assertThat(queue.bytes()).isZero();
        assertThat(queue.size()).isZero();
        assertThat(last.gone).as("told once").isEqualTo(1);
    }

    @Test
    void howeverABodyEndsItCountsNoLonger() {
        for (int round = 0; round < 3; round++) {
            Unwanted dropped = added(new Unwanted(1));
            queue.drop(dropped);
            queue.drop(dropped); // it is not there
            nothingWaits(dropped);

            Unwanted droppedInTheMiddle = begun(new Unwanted(2));
            queue.drop(droppedInTheMiddle);
            nothingWaits(droppedInTheMiddle);

            Unwanted obsolete = added(new Unwanted(3));
            obsolete.obsolete = true;
            nothingWaits(obsolete);

            Unwanted cancelled = begun(new Unwanted(4));
            cancelled.obsolete = true;
            queue.cancel(cancelled);
            nothingWaits(cancelled, Frames.CANCEL);

            Unwanted remains = added(new Unwanted(5));
            remains.leaves = false; // it is given up at the last moment
            nothingWaits(remains);

            Unwanted tooMuchBeside = added(new Unwanted(6));
            tooMuchBeside.metadata = new byte[CAPACITY];
            nothingWaits(tooMuchBeside);
            assertThat(tooMuchBeside.unreadable).isEqualTo(1);

            Unwanted unreadable = added(new Unwanted(7, unreadable()));
            nothingWaits(unreadable);
            assertThat(unreadable.unreadable).isEqualTo(1);

            Unwanted whole = added(new Unwanted(8));
            assertThat(kindsOfTheNextMessage(CAPACITY)).containsExactly(Frames.REQUEST);
            nothingWaits(whole);

            queue.cancel(begun(new Unwanted(9)));
            added(new Unwanted(10));
            queue.clear();
            assertThat(queue.bytes()).isZero();
            assertThat(queue.size()).isZero();
        }
    }

    @Test
    void aBodyThatCannotBeReadToItsEndIsTakenBack() {
        Unwanted broken;
        try (Arena arena = Arena.ofConfined()) {
            broken = begun(new Unwanted(1, arena.allocate(BODY)));
        }
        assertThat(kindsOfTheNextMessage(CAPACITY)).isEmpty();
        assertThat(broken.unreadable).isEqualTo(1);
        assertThat(queue.bytes()).isZero();
        assertThat(kindsOfTheNextMessage(CAPACITY)).containsExactly(Frames.CANCEL);
        nothingWaits(broken);
    }
}
