package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.core.BufferInventory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaksTest {

    @Test
    void whatIsForgottenIsNamed() throws InterruptedException {
        Machine.useEmulation();
        BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                if (logged.getMessage().contains("never closed")) {
                    warnings.add(logged.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.github.comch4j");
        logger.addHandler(handler);
        try {
            closed();
            forgotten();
            List<String> seen = new ArrayList<>(); // other tests in this VM may have forgotten things too
            for (int i = 0;
                    i < 200 && seen.stream().noneMatch(warning -> warning.contains("inventory of 77 buffers"));
                    i++) {
                System.gc();
                String warning = warnings.poll(100, TimeUnit.MILLISECONDS);
                if (warning != null) {
                    seen.add(warning);
                }
            }
            warnings.drainTo(seen);
            assertThat(seen)
                    .filteredOn(warning -> warning.contains("inventory of 77 buffers"))
                    .singleElement()
                    .asString()
                    .contains("comch4j.debug");
            assertThat(seen).noneMatch(warning -> warning.contains("inventory of 76 buffers"));
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static void closed() {
        BufferInventory.create(76).close();
    }

    private static void forgotten() {
        BufferInventory.create(77);
    }
}
