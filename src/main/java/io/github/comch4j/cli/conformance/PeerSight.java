package io.github.comch4j.cli.conformance;

import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.ContextState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a server or client sees of a connection: its own states, how many messages, and the end. */
final class PeerSight {
    final List<ContextState> states = new ArrayList<>();
    int messages;
    private String end = "none";

    /** Looks from now on. */
    <B extends ControlPathEndpoint.Builder<B>> B of(B settings) {
        return settings.onStateChanged((self, next) -> states.add(next))
                .onMessage((connection, message) -> messages++)
                .onDisconnected(connection -> end = connection.state().toString());
    }

    /** Waits for the end, and answers when it came, and how. */
    void answerEnd(Stage stage, Duration patience) {
        long began = System.nanoTime();
        stage.await(() -> !end.equals("none"), patience);
        stage.answer("after ms", (System.nanoTime() - began) / 1_000_000);
        stage.answer("disconnect event", end);
    }
}
