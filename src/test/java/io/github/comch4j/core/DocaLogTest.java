package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.internal.call.LogCalls;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class DocaLogTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @ParameterizedTest
    @EnumSource(Level.class)
    void levelsAreKept(Level level) {
        Level sdk = DocaLog.sdkLevel();
        Level application = DocaLog.applicationLevel();
        Level kept = level == Level.ALL ? Level.TRACE : level;
        try {
            DocaLog.setSdkLevel(level);
            assertThat(DocaLog.sdkLevel()).isEqualTo(kept);
            DocaLog.setApplicationLevel(level);
            assertThat(DocaLog.applicationLevel()).isEqualTo(kept);
        } finally {
            DocaLog.setSdkLevel(sdk);
            DocaLog.setApplicationLevel(application);
        }
    }

    /** It is of programs in C. */
    @Test
    void criticalCountsAsAnError() {
        int before = LogCalls.sdkLevel();
        try {
            LogCalls.sdkLevel(LogCalls.CRITICAL);
            assertThat(DocaLog.sdkLevel()).isEqualTo(Level.ERROR);
        } finally {
            LogCalls.sdkLevel(before);
        }
    }

    @Test
    void whatTheLibrariesSayReachesTheLogger() throws InterruptedException {
        BlockingQueue<LogRecord> records = new LinkedBlockingQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                records.add(logged);
                throw new IllegalStateException("a logger may fail"); // the bridge goes on
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(DocaLog.LOGGER);
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try (Machine machine = new Machine()) {
            DocaLog.bridge(Level.WARNING);
            assertThat(DocaLog.sdkLevel()).isEqualTo(Level.WARNING);
            assertThatThrownBy(() -> DocaLog.bridge(Level.INFO)).isInstanceOf(IllegalStateException.class);
            for (int attempt = 0; attempt < 2; attempt++) {
                boolean[] refused = new boolean[1];
                machine.client().onRefused(() -> refused[0] = true).start(); // there is no server: worth a warning
                machine.until("the refusal", () -> refused[0]);
                LogRecord logged = records.poll(Machine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(logged).isNotNull();
                assertThat(logged.getMessage()).contains(machine.name);
                assertThat(logged.getLevel()).isEqualTo(java.util.logging.Level.WARNING);
            }
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void theProgramsOwnMessagesAreWrittenAsTheyAre() {
        try (Child child = Child.start(LogProgram.class, List.of("-Dcomch4j.library=emulated"), Map.of())) {
            List<String> lines = child.rest().lines().toList();
            assertThat(child.exitCode()).isZero();
            assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).contains("100 %s"));
            // An SDK shows the function alone: it is the source.
            assertThat(lines.get(0)).contains("one one (java:0): 100 %s");
            assertThat(lines.get(1)).contains("two two (java:0): 100 %s").contains("INF");
        }
    }

    /** The standard log is the process's: this one's belongs to the build. */
    public static final class LogProgram {
        private LogProgram() {}

        public static void main(String[] arguments) {
            DocaLog.standardBackend();
            DocaLog.setApplicationLevel(Level.INFO);
            DocaLog.log(Level.INFO, "one", "100 %s");
            DocaLog.log(Level.DEBUG, "one", "more than was asked for");
            DocaLog.log(Level.INFO, "two", "100 %s");
        }
    }

    @Test
    void aMessageAtTheLevelThatDisablesMakesNoSense() {
        assertThatThrownBy(() -> DocaLog.log(Level.OFF, "test", "text")).isInstanceOf(IllegalArgumentException.class);
    }
}
