package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;

class LogCallsTest {

    @Test
    void levelsAreFoundInRecordsOfEitherForm() {
        assertThat(LogCalls.levelOf("2026-01-31 23:59:59.123456Z WARN  emulator f (a.c:1): text"))
                .isEqualTo(Level.WARNING);
        assertThat(LogCalls.levelOf("[10:11:12:131415][2021][DOCA][ERR][some_file.cpp:33][function] text"))
                .isEqualTo(Level.ERROR);
        assertThat(LogCalls.levelOf("[10:11:12:131415][2021][DOCA][CRT][x] y")).isEqualTo(Level.ERROR);
        assertThat(LogCalls.levelOf("[10:11:12:131415][2021][DOCA][DBG][x] y")).isEqualTo(Level.DEBUG);
        assertThat(LogCalls.levelOf("[10:11:12:131415][2021][DOCA][TRC][x] y")).isEqualTo(Level.TRACE);
        assertThat(LogCalls.levelOf("[INF] and not an ERROR")).isEqualTo(Level.INFO);
        assertThat(LogCalls.levelOf("anything")).isEqualTo(Level.INFO);
    }
}
