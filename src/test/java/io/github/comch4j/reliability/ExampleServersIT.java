package io.github.comch4j.reliability;

import io.github.comch4j.ExampleServersTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * As {@link ExampleServersTest}, in the stage {@code reliability}; and all servers side by side for as many seconds as
 * {@code -Dexamples.seconds} says, each with its frozen client.
 */
@Tag("reliability")
class ExampleServersIT extends ExampleServersTest {
    private static final long SECONDS = Long.getLong("examples.seconds", 0);

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @SuppressWarnings("unchecked")
    void allTogether() {
        List<Running> servers = servers()
                .map(server -> new Running((Consumer<String[]>) server.get()[1], (boolean) server.get()[2]))
                .toList();
        try {
            long begin = System.nanoTime();
            long told = begin;
            int rounds = 0;
            do {
                servers.forEach(Running::round);
                rounds++;
                long now = System.nanoTime();
                if (now - told > TimeUnit.SECONDS.toNanos(10)) {
                    told = now;
                    tell(rounds, now - begin);
                }
            } while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(SECONDS));
            tell(rounds, System.nanoTime() - begin);
        } finally {
            servers.forEach(Running::close);
        }
    }

    private static void tell(int rounds, long nanos) {
        System.out.println("soak: " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s, " + rounds
                + " rounds of the clients of each example");
    }
}
