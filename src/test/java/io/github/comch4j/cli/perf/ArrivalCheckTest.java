package io.github.comch4j.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What arrives, and what is done about it. */
class ArrivalCheckTest {
    /** A client may send as soon as the server's consumer is there, which is before the server's producer is. */
    @Test
    void whatHasComeEarlyIsAnswered() {
        MemorySegment message = Arena.ofAuto().allocate(64, 8);
        ArrivalCheck arrivals = new ArrivalCheck(64);
        arrivals.arrived(message, 0, 64);
        AtomicInteger answers = new AtomicInteger();
        arrivals.answerBy(answers::incrementAndGet);
        assertThat(answers).hasValue(1);
        ArrivalCheck.number(message, 0, 64, 1);
        arrivals.arrived(message, 0, 64);
        assertThat(answers).hasValue(2);
    }
}
