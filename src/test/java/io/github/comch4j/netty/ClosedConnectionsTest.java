package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When connections end whose channels are closed. */
@Timeout(60)
class ClosedConnectionsTest {
    private final List<String> done = new ArrayList<>();
    private final ClosedConnections endings = new ClosedConnections(() -> done.add("progress"));

    /** Ends at its nth turn. */
    private BooleanSupplier at(int nth) {
        int[] turns = new int[1];
        return () -> {
            done.add("turn " + ++turns[0]);
            return turns[0] == nth;
        };
    }

    @Test
    void whatCanEndNowDoes() {
        endings.add(at(1));
        assertThat(done).containsExactly("turn 1");
        assertThat(endings.isEmpty()).isTrue();
    }

    @Test
    void oneProgressMayBeEnough() {
        endings.add(at(2));
        assertThat(done).containsExactly("turn 1", "progress", "turn 2");
        assertThat(endings.isEmpty()).isTrue();
    }

    @Test
    void otherwiseItHasATurnAfterEachProgress() {
        endings.add(at(4));
        assertThat(endings.isEmpty()).isFalse();
        endings.serve();
        assertThat(endings.isEmpty()).isFalse();
        endings.serve();
        assertThat(endings.isEmpty()).isTrue();
        endings.serve();
        assertThat(done).containsExactly("turn 1", "progress", "turn 2", "turn 3", "turn 4");
    }

    @Test
    void whatIsForLaterHasNoTurnNow() {
        endings.later(at(1));
        assertThat(done).isEmpty();
        assertThat(endings.isEmpty()).isFalse();
        endings.serve();
        assertThat(done).containsExactly("turn 1");
        assertThat(endings.isEmpty()).isTrue();
    }

    @Test
    void eachOfThoseThatWaitHasATurn() {
        endings.later(at(2));
        endings.later(at(1));
        endings.serve();
        assertThat(done).containsExactly("turn 1", "turn 1");
        assertThat(endings.isEmpty()).isFalse();
        endings.serve();
        assertThat(done).containsExactly("turn 1", "turn 1", "turn 2");
        assertThat(endings.isEmpty()).isTrue();
    }

    @Test
    void oneThatFailsIsOver() {
        endings.later(() -> {
            throw new IllegalStateException("for the log");
        });
        endings.serve();
        assertThat(endings.isEmpty()).isTrue();
    }

    /** Of clients and of a server's connections. */
    @Nested
    class OfConnections {
        @Test
        void aClientEndsAtOnceIfNothingIsOnItsWay() {
            try (Pair pair = new Pair()) {
                assertThat(ClosedConnections.of(pair.client, () -> pair.client.inFlight() == 0)
                                .getAsBoolean())
                        .isTrue();
                assertThat(pair.client.isConnected()).isFalse();
                assertThat(pair.client.isClosed()).isTrue();
            }
        }

        @Test
        void aClientWaitsForItsMessages() {
            try (Pair pair = new Pair()) {
                pair.hostSide.send(new byte[1]);
                BooleanSupplier ending = ClosedConnections.of(pair.client, () -> pair.client.inFlight() == 0);
                assertThat(ending.getAsBoolean()).isFalse();
                assertThat(pair.client.isClosed()).isFalse();
                pair.machine.until("the message", () -> pair.client.inFlight() == 0);
                assertThat(ending.getAsBoolean()).isTrue();
                assertThat(pair.client.isClosed()).isTrue();
            }
        }

        @Test
        void aClientWaitsAsLongAsClosingMayTake() {
            try (Pair pair = new Pair()) {
                Engine engine = Internals.<ProgressEngine, Engine>of(ProgressEngine.class)
                        .apply(pair.machine.engine);
                Duration timeout = engine.timeout();
                engine.timeout(Duration.ZERO);
                BooleanSupplier ending = ClosedConnections.of(pair.client, () -> pair.client.inFlight() == 0);
                engine.timeout(timeout);
                pair.hostSide.send(new byte[1]);
                assertThat(ending.getAsBoolean()).isTrue();
                assertThat(pair.client.isClosed()).isTrue();
            }
        }

        @Test
        @Needs(Feature.DISCONNECT)
        void aConnectionOfAServerEndsByItself() {
            try (Pair pair = new Pair()) {
                BooleanSupplier ending = ClosedConnections.of(pair.dpuSide, () -> true);
                assertThat(ending.getAsBoolean()).isTrue();
                assertThat(pair.dpuSide.isOpen()).isFalse();
                pair.machine.until("the end", () -> !pair.client.isConnected());
                assertThat(ending.getAsBoolean()).as("it has ended").isTrue();
            }
        }
    }
}
