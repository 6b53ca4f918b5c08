package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SleepLimitTest {
    private static final long MILLISECOND = 1_000_000;

    private static void sleep(SleepLimit limit, boolean event, boolean work) {
        limit.slept(event);
        limit.worked(work);
    }

    @Test
    void aDeviceThatRaisesNoEventsIsAskedEachMillisecond() {
        SleepLimit limit = new SleepLimit(false);
        for (int i = 0; i < 100; i++) {
            sleep(limit, false, i % 10 == 0);
            assertThat(limit.nanos()).isEqualTo(MILLISECOND);
        }
        for (int i = 0; i < 100; i++) {
            sleep(limit, true, false); // false alarms
            assertThat(limit.nanos()).isEqualTo(MILLISECOND);
        }
    }

    @Test
    void eventsProveThatLongSleepsDoNoHarmUntilOneIsMissing() {
        SleepLimit limit = new SleepLimit(false);
        sleep(limit, true, true);
        assertThat(limit.nanos()).isEqualTo(2 * MILLISECOND);
        for (int i = 0; i < 10; i++) {
            sleep(limit, true, true);
        }
        assertThat(limit.nanos()).isEqualTo(50 * MILLISECOND);
        sleep(limit, false, false); // nothing has come, and nothing was there
        limit.worked(true); // awake
        assertThat(limit.nanos()).isEqualTo(50 * MILLISECOND);
        sleep(limit, false, true);
        assertThat(limit.nanos()).isEqualTo(MILLISECOND);
    }

    @Test
    void aTrustedDeviceIsTrusted() {
        SleepLimit limit = new SleepLimit(true);
        sleep(limit, false, true);
        sleep(limit, true, true);
        assertThat(limit.nanos()).isEqualTo(50 * MILLISECOND);
    }
}
