package io.github.comch4j.cli.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.streams.PeerLimits;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WarmUpTest {
    @Test
    void allStreamsHaveTheirBytesBack() {
        assertThat(WarmUp.run(new PeerLimits(256 << 10, 100, 4, Duration.ofSeconds(1))))
                .isEqualTo(20);
    }
}
