package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.comch.ComchClient;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgressEngineTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @Test
    void anIdleEngineSleepsForATimeAtMost() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            assertThat(engine.notificationHandle()).isGreaterThan(2);
            engine.awaitEvent(Duration.ofMillis(5)); // may be a false alarm
            assertThat(engine.progress()).isFalse();
            engine.requestNotification();
            engine.clearNotification();
            assertThat(engine.inFlight()).isZero();
        }
    }

    @Test
    @Needs(Feature.EVENT_MODE)
    void theModeOfEventsCanBeChosen() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            assertThat(engine.setSelectiveEvents(true)).isSameAs(engine);
        }
    }

    @Test
    void aPendingEventEndsTheSleepAtOnce() {
        try (Machine machine = new Machine();
                ProgressEngine sleeper = ProgressEngine.create()) {
            boolean[] received = new boolean[1];
            var server = machine.server()
                    .onConnected(connection -> connection.enqueue(new byte[] {42}))
                    .start();
            ComchClient client = ComchClient.builder(sleeper, machine.host, machine.name)
                    .onMessage((connection, message) -> received[0] = true)
                    .start();
            boolean woken = false;
            while (!received[0]) {
                machine.engine.progress(100);
                woken |= sleeper.awaitEvent(Duration.ofMillis(20));
                sleeper.progress(100);
            }
            assertThat(woken).isTrue();
            assertThat(server.connections()).hasSize(1);
            client.close();
        }
    }

    @Test
    void sleepingBelongsToTheOwnerOutsideOfCallbacks() throws Exception {
        try (Machine machine = new Machine()) {
            Throwable[] thrown = new Throwable[2];
            Thread other =
                    new Thread(() -> thrown[0] = catching(() -> machine.engine.awaitEvent(Duration.ofMillis(1))));
            other.start();
            other.join();
            assertThat(thrown[0]).isInstanceOf(WrongThreadException.class);
            machine.server()
                    .onConnected(
                            connection -> thrown[1] = catching(() -> machine.engine.awaitEvent(Duration.ofMillis(1))))
                    .start();
            machine.client().connect(Machine.PATIENCE);
            machine.until("the callback", () -> thrown[1] != null);
            assertThat(thrown[1]).isInstanceOf(IllegalStateException.class).hasMessageContaining("callback");
        }
        ProgressEngine closed = ProgressEngine.create();
        closed.close();
        assertThatThrownBy(closed::inFlight).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void awaitProgressesUntilTheConditionHoldsOrTheTimeIsUp() {
        try (Machine machine = new Machine();
                ProgressEngine engine = ProgressEngine.create()) {
            assertThat(engine.await(() -> true, Duration.ZERO)).isTrue();
            assertThat(engine.await(() -> false, Duration.ofMillis(5))).isFalse();
            var server = machine.server().start();
            ComchClient client = machine.client().start();
            assertThat(machine.engine.await(
                            () -> !server.connections().isEmpty() && client.isConnected(), Machine.PATIENCE))
                    .isTrue();
            engine.release();
            assertThatThrownBy(() -> engine.await(() -> true, Duration.ZERO)).isInstanceOf(WrongThreadException.class);
            engine.takeOver();
        }
    }

    private static Throwable catching(Runnable action) {
        try {
            action.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Test
    void aSleepForEverEndsWithAnEvent() {
        try (Machine machine = new Machine();
                ProgressEngine sleeper = ProgressEngine.create()) {
            machine.server().start();
            ComchClient client =
                    ComchClient.builder(sleeper, machine.host, machine.name).start();
            while (!client.isConnected()) {
                machine.engine.progress(10);
                sleeper.progress(10);
            }
            ComchClient other = ComchClient.builder(sleeper, machine.host, "nobody of this name")
                    .start();
            assertThat(sleeper.awaitEvent(Duration.ofSeconds(Long.MAX_VALUE)))
                    .as("its refusal")
                    .isTrue();
            assertThat(sleeper.awaitEvent(Duration.ofSeconds(Long.MIN_VALUE))).isTrue();
            other.close();
            client.close();
        }
    }
}
