package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
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

    @Test
    void theTextBeginsBehindTimeAndProcess() {
        assertThat(LogCalls.textOf("[10:11:12:131415][2021][DOCA][WRN][some_file.cpp:33][function] no server yet"))
                .isEqualTo("WRN][some_file.cpp:33][function] no server yet");
        assertThat(LogCalls.textOf("2026-01-31 23:59:59.123456Z WARN  emulator f (a.c:1): no server yet"))
                .isEqualTo("WARN  emulator f (a.c:1): no server yet");
    }

    @Test
    void recordsOfAnSdkThatSayTheSameAreShownMoreAndMoreRarely() {
        RepeatedRecords repeated = new RepeatedRecords();
        List<String> shown = new ArrayList<>();
        for (int i = 1; i <= 9; i++) {
            String record = "[10:11:12:13141" + i + "][202" + i + "][DOCA][ERR][some_file.cpp:33][function] no server";
            String line = repeated.shown(record, LogCalls.textOf(record), i * 1_000_000L);
            if (line != null) {
                shown.add(line.substring(line.indexOf("[DOCA]")));
            }
        }
        String same = "[DOCA][ERR][some_file.cpp:33][function] no server";
        assertThat(shown).containsExactly(same, same, same + " (4 times in a row)", same + " (8 times in a row)");
    }

    @Test
    void recordsThatSayTheSameAreShownMoreAndMoreRarely() {
        RepeatedRecords repeated = new RepeatedRecords();
        long second = 1_000_000_000;
        List<String> shown = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            String waits = "10:11:12." + i + " WARN  no server";
            String other = i + " INFO  another";
            for (String record : List.of(waits, other)) {
                String line = repeated.shown(record, LogCalls.textOf(record), i * second / 100);
                if (line != null && record.equals(waits)) {
                    shown.add(line);
                }
            }
        }
        assertThat(shown).hasSize(7).first().isEqualTo("10:11:12.1 WARN  no server");
        assertThat(shown.getLast()).isEqualTo("10:11:12.64 WARN  no server (64 times in a row)");
        assertThat(repeated.shown("much later WARN  no server", "WARN  no server", 20 * second))
                .as("after a pause")
                .isEqualTo("much later WARN  no server");
    }
}
