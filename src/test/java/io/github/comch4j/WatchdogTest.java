package io.github.comch4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@Timeout(60)
class WatchdogTest {
    private static final CountDownLatch BITTEN = new CountDownLatch(1);
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    /** Run by the test below alone. */
    @Timeout(value = 10, unit = TimeUnit.MILLISECONDS)
    static final class HangsWhenItCloses {
        @Test
        void passes() {}

        @AfterEach
        void hangUntilTheDogBites() {
            boolean over = false;
            while (!over) {
                try {
                    BITTEN.await();
                    over = true;
                } catch (InterruptedException e) {
                    // as a close that is not cut short
                }
            }
        }
    }

    @Timeout(60)
    static final class Ends {
        @Test
        void passes() {}
    }

    private void run(Class<?> tests) {
        Watchdog dog = new Watchdog(new PrintStream(told, true, UTF_8), BITTEN::countDown);
        LauncherFactory.create(LauncherConfig.builder()
                        .enableTestExecutionListenerAutoRegistration(false)
                        .addTestExecutionListeners(dog)
                        .build())
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(tests))
                        .build());
    }

    @Test
    void aTestThatHangsIsToldWithAllThreads() {
        run(HangsWhenItCloses.class);
        assertThat(told.toString(UTF_8))
                .contains("HangsWhenItCloses", "passes()", "has not ended")
                .contains("hangUntilTheDogBites");
    }

    @Test
    void oneThatEndsIsNotToldOf() {
        run(Ends.class);
        assertThat(told.toString(UTF_8)).isEmpty();
    }
}
