package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class LoggedErrorsTest {
    private static final long NOW = Instant.parse("2026-11-26T10:50:41.900Z").toEpochMilli();
    private static final String OF_AN_SDK =
            "[16:20:41:241667][3425017][DOCA][ERR][f.c:12][connect] no such server"; // +05:30
    private static final String EMULATED = "2026-11-26 10:50:41.241667Z ERROR doca f (f.c:12): no such server";

    @Test
    void theLastRecordIsCitedInEitherFormat() {
        assertThat(LoggedErrors.last("[16:20:41:241000][1][DOCA][ERR] other\n" + OF_AN_SDK + "\n", NOW))
                .isEqualTo("DOCA's log says \"" + OF_AN_SDK + "\"");
        assertThat(LoggedErrors.last(EMULATED + "\n", NOW)).isEqualTo("DOCA's log says \"" + EMULATED + "\"");
    }

    @Test
    void whatWasWrittenBeforeTheCallIsNot() {
        assertThat(LoggedErrors.last(OF_AN_SDK, NOW + 2_000)).isEmpty();
        assertThat(LoggedErrors.last(EMULATED, NOW + 2_000)).isEmpty();
    }

    @Test
    void norWhatHasNoTime() {
        assertThat(LoggedErrors.last("no such server\n", NOW)).isEmpty();
        assertThat(LoggedErrors.last("", NOW)).isEmpty();
    }
}
