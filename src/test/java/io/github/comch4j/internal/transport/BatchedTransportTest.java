package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.Engine;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine's contexts leave to later ones. */
@Timeout(60)
class BatchedTransportTest {
    @Test
    void endedContextsLeaveTheirMemoryToLaterOnes() {
        try (Pair pair = new Pair()) {
            Engine engine =
                    Internals.<ProgressEngine, Engine>of(ProgressEngine.class).apply(pair.machine.engine);
            Assumptions.assumeTrue(engine.transport() instanceof BatchedTransport);
            BatchedTransport transport = (BatchedTransport) engine.transport();
            Set<Long> contexts = new HashSet<>();
            for (int i = 0; i < 5; i++) {
                try (ComchConsumer _ = pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .start(Machine.PATIENCE)) {
                    contexts.add(Batch.getLong(transport.address() + Batch.ENGINE_CONTEXTS));
                }
                assertThat(Batch.getLong(transport.address() + Batch.ENGINE_CONTEXTS))
                        .isZero();
            }
            assertThat(contexts).hasSize(1).doesNotContain(0L);
        }
    }
}
